import { ROUTES, type RouteName } from '../../../shared/contract/contract.ts';
import type { PresenceStatus } from '../../../shared/contract/presence.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { DEFAULT_PRESENCE, type Presence as PresencePolicy } from '../../../shared/policy/policy.ts';
import type { Clock, RandomBytes } from '../../../core/ports.ts';
import type { PolicyStore } from '../../adapters/store/policies.ts';
import { CEREMONY_MS, type Passkeys } from '../../presence/passkeys.ts';
import type { Presence } from '../../presence/presence.ts';
import type { Caller } from '../caller.ts';
import type { Gate } from '../gate.ts';
import { parseInput } from '../parse-input.ts';
import type { Handlers } from '../router.ts';
import type { SavePolicy } from '../save-policy.ts';

export interface PresenceDeps {
  readonly presence: Presence;
  readonly passkeys: Passkeys;
  readonly policies: Pick<PolicyStore, 'current'>;
  readonly savePolicy: SavePolicy;
  readonly gate: Pick<Gate, 'require'>;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`. */
  readonly verifyPassphrase: (passphrase: string) => Promise<void>;
  readonly realMoney: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
}

const MOST_PASSKEYS = 20;

type Routes = Extract<RouteName, `presence.${string}`>;

export function presenceHandlers({ presence, passkeys, policies, savePolicy, gate, verifyPassphrase, realMoney, clock, random }: PresenceDeps): Pick<Handlers, Routes> {
  /** Passkeys that are being made, by connection: one at a time. */
  const making = new Map<string, { readonly challenge: string; readonly expiresAt: number }>();

  const status = (caller: Caller): PresenceStatus => {
    const above = policies.current().policy.presence?.above;
    return {
      above: above ?? (realMoney ? DEFAULT_PRESENCE : 'off'),
      byDefault: above === undefined,
      methods: [...presence.methods(caller)],
      passkeys: passkeys.list().map(({ fingerprint, label, createdAt, usedAt }) => ({ id: fingerprint, label, createdAt, ...(usedAt !== undefined && { usedAt }) })),
      canAddPasskey: caller.origin !== undefined,
    };
  };
  const change = (next: (before: PresencePolicy) => PresencePolicy, caller: Caller): PresenceStatus => {
    const { number, policy } = policies.current();
    savePolicy(number, { ...policy, presence: next(policy.presence ?? { unit: 'USD' }) }, caller);
    return status(caller);
  };
  const requirePassphrase = (caller: Caller): void => {
    if (presence.methods(caller).length === 0) throw new BursarError('OWNER_REQUIRED', 'No passphrase is set yet, and without one nothing proves that you are there.', { hint: 'Set a passphrase first.' });
  };
  const takeMaking = ({ connection }: Caller): string => {
    const found = making.get(connection);
    making.delete(connection);
    if (!found || found.expiresAt <= clock.now()) throw new BursarError('PRESENCE_STALE', 'That passkey was begun too long ago, or is there already.');
    return found.challenge;
  };

  return {
    'presence.get': (_input, caller) => status(caller),

    'presence.set'({ above }, caller) {
      requirePassphrase(caller);
      return change((before) => ({ ...before, above }), caller);
    },

    'presence.begin'({ route, input }, caller) {
      gate.require(ROUTES[route].access, caller);
      return presence.begin({ route, input: parseInput(route, input) }, caller);
    },

    async 'presence.prove'(proof, caller) {
      await presence.prove(proof, caller);
      return {};
    },

    'presence.passkeys.begin'(_input, caller) {
      if (caller.origin === undefined) throw new BursarError('FORBIDDEN', 'A passkey is made in the browser that will use it.', { hint: 'Open the dashboard there.' });
      requirePassphrase(caller);
      if (passkeys.list().length >= MOST_PASSKEYS) throw new BursarError('INPUT_INVALID', `There are ${MOST_PASSKEYS} passkeys already.`, { hint: 'Remove one first.' });
      for (const [connection, { expiresAt }] of making) if (expiresAt <= clock.now()) making.delete(connection);
      const challenge = base64url(random(32));
      making.set(caller.connection, { challenge, expiresAt: clock.now() + CEREMONY_MS });
      return passkeys.creation(challenge, base64url(random(16)));
    },

    async 'presence.passkeys.add'({ attestation, label, passphrase }, caller) {
      if (caller.origin === undefined) throw new BursarError('FORBIDDEN', 'A passkey is made in the browser that will use it.');
      // First: a wrong one costs no new passkey.
      await verifyPassphrase(passphrase);
      const { fingerprint } = await passkeys.register({ response: attestation, challenge: takeMaking(caller), origin: caller.origin, label });
      return change((before) => ({ ...before, passkeys: [...passkeys.list().map((passkey) => passkey.fingerprint), fingerprint] }), caller);
    },

    'presence.passkeys.remove'({ id }, caller) {
      const left = passkeys.list().map(({ fingerprint }) => fingerprint).filter((fingerprint) => fingerprint !== id);
      if (left.length === passkeys.list().length) throw new BursarError('NOT_FOUND', 'There is no such passkey.', { hint: 'List them with: bursar presence show' });
      const changed = change((before) => ({ ...before, passkeys: left }), caller);
      passkeys.remove(id);
      return changed;
    },
  };
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
