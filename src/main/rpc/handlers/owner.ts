import type { OwnerStatus } from '../../../shared/contract/owner.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import type { Caller } from '../caller.ts';
import type { Gate } from '../gate.ts';
import type { OwnerSessions } from '../owner-sessions.ts';
import type { Handlers } from '../router.ts';
import { needsSetupCode, type SetupCode } from '../setup-code.ts';

export interface OwnerDeps {
  readonly wallet: Wallet;
  readonly gate: Gate;
  readonly sessions: OwnerSessions;
  readonly setupCode: Pick<SetupCode, 'require'>;
  /** Called when the keys became usable or stopped being so. */
  readonly lockChanged: () => Promise<void>;
}

type Routes = 'owner.status' | 'owner.setPassphrase' | 'owner.unlock' | 'owner.lock';

export function ownerHandlers({ wallet, gate, sessions, setupCode, lockChanged }: OwnerDeps): Pick<Handlers, Routes> {
  const status = (caller: Caller): OwnerStatus => {
    const sessionUntil = sessions.until(caller.connection);
    return {
      passphraseSet: wallet.passphraseSet,
      sessionNeeded: gate.ownerSessionNeeded(caller),
      ...(!wallet.passphraseSet && needsSetupCode(caller) && { setupCodeNeeded: true }),
      ...(sessionUntil !== undefined && { sessionUntil }),
      locked: wallet.locked,
    };
  };
  return {
    'owner.status': (_input, caller) => status(caller),
    'owner.setPassphrase': async ({ passphrase, code = '' }, caller) => {
      setupCode.require(caller, code);
      await wallet.setPassphrase(passphrase);
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
  };
}
