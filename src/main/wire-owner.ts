import type { Clock, Log, RandomBytes } from '../core/ports.ts';
import { toErrorInfo } from '../shared/errors/errors.ts';
import type { Home } from './adapters/home/home.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import { createGate, type Gate } from './rpc/gate.ts';
import { ownerHandlers } from './rpc/handlers/owner.ts';
import { createIdleLock, DEFAULT_LOCK_MINUTES, type IdleLock } from './rpc/idle-lock.ts';
import { createOwnerSessions, type OwnerSessions } from './rpc/owner-sessions.ts';
import { createSetupCode, type SetupCode } from './rpc/setup-code.ts';

export interface OwnerPorts {
  readonly home: Home;
  readonly wallet: Wallet;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly realMoney: boolean;
  readonly sessionsChanged: () => void;
  /** Called when the keys became usable or stopped being so. */
  readonly lockChanged: () => Promise<void>;
}

/** Who the owner is, how long they stay it, and the lock. */
export interface WiredOwner {
  readonly sessions: OwnerSessions;
  readonly gate: Gate;
  readonly setupCode: SetupCode;
  readonly idle: IdleLock;
  /** Unlocks the keys, or makes them under this passphrase where they wait for the first one. Throws `PASSPHRASE_WRONG`. */
  unlock(passphrase: string): Promise<void>;
  /** Locks the keys and ends every owner session; does nothing where there is no passphrase that could unlock them again. */
  lock(): void;
  readonly handlers: ReturnType<typeof ownerHandlers>;
}

export function wireOwner({ home, wallet, clock, random, log, realMoney, sessionsChanged, lockChanged }: OwnerPorts): WiredOwner {
  const sessions = createOwnerSessions({ clock, changed: sessionsChanged });
  const gate = createGate({ realMoney, sessions });
  const setupCode = createSetupCode(random);
  const lock = (): void => {
    if (!wallet.passphraseSet) return;
    wallet.lock();
    sessions.endAll();
    lockChanged().catch((error: unknown) => log.error('reading the servers anew failed', { reason: toErrorInfo(error).message }));
  };
  const idle = createIdleLock({ clock, minutes: home.config().lockAfterMinutes ?? (realMoney ? DEFAULT_LOCK_MINUTES : 0), lock: () => !wallet.locked && lock() });
  return {
    sessions,
    gate,
    setupCode,
    idle,
    lock,
    async unlock(passphrase) {
      if (wallet.passphraseSet) await wallet.unlock(passphrase);
      else await wallet.setPassphrase(passphrase);
      idle.active();
      await lockChanged();
    },
    handlers: ownerHandlers({ wallet, gate, sessions, setupCode, idle, keepLockAfter: (lockAfterMinutes) => void home.update({ lockAfterMinutes }), lockChanged }),
  };
}
