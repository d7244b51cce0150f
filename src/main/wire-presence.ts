import type { Approvals } from '../core/payments/approvals.ts';
import type { Clock, Log, RandomBytes } from '../core/ports.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { RouteName } from '../shared/contract/contract.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Db } from './adapters/store/database.ts';
import { createPasskeyStore } from './adapters/store/passkeys.ts';
import type { Escrow } from './adapters/store/escrows.ts';
import type { LedgerIntegrity } from './adapters/store/integrity.ts';
import type { PolicyStore } from './adapters/store/policies.ts';
import { actWords } from './presence/act-words.ts';
import { createPasskeys } from './presence/passkeys.ts';
import { createPresence, type TouchId } from './presence/presence.ts';
import { provenActs } from './presence/proven-acts.ts';
import type { Caller } from './rpc/caller.ts';
import type { Gate } from './rpc/gate.ts';
import { presenceHandlers } from './rpc/handlers/presence.ts';
import type { RouterOptions } from './rpc/router.ts';
import type { SavePolicy } from './rpc/save-policy.ts';
import type { Delegations } from './wallet/delegations.ts';

export interface PresenceWiring {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly wallet: Pick<Wallet, 'passphraseSet' | 'verifyPassphrase'>;
  readonly policies: PolicyStore;
  readonly savePolicy: SavePolicy;
  readonly integrity: Pick<LedgerIntegrity, 'findings' | 'cause'>;
  readonly approvals: Approvals;
  readonly quoted: Delegations['quoted'];
  readonly escrows: { get(id: string): Pick<Escrow, 'network' | 'asset' | 'units'> };
  /** Every token that a payment was ever made in. */
  readonly shownAssets: Assets;
  readonly gate: Gate;
  readonly realMoney: boolean;
  readonly touchId?: TouchId | undefined;
}

/** Proof that the owner is there: its routes, and what the router asks before each act. */
export function wirePresence({ db, clock, random, log, wallet, policies, savePolicy, integrity, approvals, quoted, escrows, shownAssets, gate, realMoney, touchId }: PresenceWiring) {
  const sound = () => integrity.findings().length === 0;
  const policy = () => policies.current().policy;
  const verifyPassphrase = (passphrase: string) => wallet.verifyPassphrase(passphrase);
  const passkeys = createPasskeys({ store: createPasskeyStore(db), trusted: () => policy().presence?.passkeys ?? [], clock, log });
  const presence = createPresence({
    clock,
    random,
    passkeys,
    // Which passkeys count stands in the policy, which changed settings leave as it was.
    sound: () => integrity.cause === 'settings' || sound(),
    passphraseSet: () => wallet.passphraseSet,
    verifyPassphrase,
    ...(touchId && { touchId }),
    describe: actWords({ waiting: () => approvals.waiting(), assets: shownAssets }),
  });
  const needsProof: Partial<Record<RouteName, (input: never, caller: Caller) => boolean>> = provenActs({
    realMoney,
    policy,
    sound,
    approvals,
    quoted,
    hasPasskeys: () => passkeys.list().length > 0,
    escrow(id) {
      const { network, asset, units } = escrows.get(id);
      return { asset: shownAssets.find(network, asset), units };
    },
  });
  const takeProof: NonNullable<RouterOptions['takeProof']> = (route, input, caller) => (needsProof[route]?.(input as never, caller) === true ? presence.take({ route, input }, caller) : undefined);
  return { takeProof, handlers: presenceHandlers({ presence, passkeys, policies, savePolicy, gate, verifyPassphrase, realMoney, clock, random }) };
}
