import { version } from '../../package.json' with { type: 'json' };

/** Version of this program, as its package says. */
export const VERSION: string = version;
