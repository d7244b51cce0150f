import { z } from 'zod';

// The pages' CSP forbids eval; zod would try it once and leave a violation in the console. It reads this setting when a schema
// is made, so this module has to be imported before the contract.
z.config({ jitless: true });

export { z };
