import type { Environment } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';

/** The folder's configuration names another kind of money than its keys are for. */
export const otherMoney = (keys: Environment, file: Environment): BursarError =>
  new BursarError('HOME_NETWORK_MISMATCH', `config.json was changed outside Bursar: it says ${file}, and the keys of this data folder are for ${keys}.`, { hint: `Set "environment" in config.json to "${keys}" again while Bursar is off.`, context: { environment: keys } });

/** A ledger that came out of a backup of that time (ms), for the owner. */
export const restoredWords = (createdAt: number): string =>
  `The ledger was restored from a backup of ${new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')} UTC. What was paid after it is not in it, so budgets count too little and a purchase may be made again.`;
