import type { Caller } from './caller.ts';

/** A terminal counts its own second; the pages share one, which their window's host can overrule. */
export const viewerOf = ({ surface, connection }: Caller): string | undefined => (surface === 'cli-approval' ? connection : undefined);
