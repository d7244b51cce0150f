import type { OwnerStatus } from '../../../shared/contract/owner.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import type { Caller } from '../caller.ts';
import type { Gate } from '../gate.ts';
import type { IdleLock } from '../idle-lock.ts';
import type { OwnerSessions } from '../owner-sessions.ts';
import type { Handlers } from '../router.ts';
import { needsSetupCode, type SetupCode } from '../setup-code.ts';

export interface OwnerDeps {
  readonly wallet: Wallet;
  readonly gate: Gate;
  readonly sessions: OwnerSessions;
  readonly setupCode: Pick<SetupCode, 'require'>;
  readonly idle: Pick<IdleLock, 'minutes' | 'set'>;
  /** Keeps the minutes for the next start. */
  readonly keepLockAfter: (minutes: number) => void;
  /** Called when the keys became usable or stopped being so. */
  readonly lockChanged: () => Promise<void>;
}

type Routes = 'owner.status' | 'owner.setPassphrase' | 'owner.unlock' | 'owner.lock' | 'owner.setLockAfter' | 'owner.active';

export function ownerHandlers({ wallet, gate, sessions, setupCode, idle, keepLockAfter, lockChanged }: OwnerDeps): Pick<Handlers, Routes> {
  const status = (caller: Caller): OwnerStatus => {
    const sessionUntil = sessions.until(caller.connection);
    return {
      passphraseSet: wallet.passphraseSet,
      sessionNeeded: gate.ownerSessionNeeded(caller),
      ...(!wallet.passphraseSet && needsSetupCode(caller) && { setupCodeNeeded: true }),
      ...(sessionUntil !== undefined && { sessionUntil }),
      locked: wallet.locked,
      lockAfterMinutes: idle.minutes,
    };
  };
  return {
    'owner.status': (_input, caller) => status(caller),
    'owner.setPassphrase': async ({ passphrase, code = '', words }, caller) => {
      setupCode.require(caller, code);
      await wallet.setPassphrase(passphrase, { words });
      sessions.open(caller.connection);
      await lockChanged();
      return status(caller);
    },
    'owner.unlock': async ({ passphrase }, caller) => {
      await wallet.unlock(passphrase);
      sessions.open(caller.connection);
      await lockChanged();
      return status(caller);
    },
    'owner.lock': async (_input, caller) => {
      wallet.lock();
      sessions.endAll();
      await lockChanged();
      return status(caller);
    },
    'owner.setLockAfter': ({ minutes }, caller) => {
      keepLockAfter(minutes);
      idle.set(minutes);
      return status(caller);
    },
    // That it came is what counts: the router tells the idle lock.
    'owner.active': () => ({}),
  };
}
