import type { Approvals } from '../../core/payments/approvals.ts';
import { loosens, loosensPresence } from '../../core/policy/loosens.ts';
import { isAbove, presenceRule, usdOfPayment, withPresenceOf, type PresenceRule } from '../../core/policy/presence.ts';
import { NO_PRICES, usdOf } from '../../core/policy/units.ts';
import type { Asset } from '../../core/registry/assets.ts';
import { baseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { ParsedRouteInput } from '../../shared/contract/contract.ts';
import type { ProvenRoute } from '../../shared/contract/presence.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import type { Caller } from '../rpc/caller.ts';
import type { Quote } from '../wallet/delegations.ts';

export interface ActPorts {
  readonly realMoney: boolean;
  readonly policy: () => Policy;
  /** False while the ledger was changed from outside, and perhaps the policy with it. */
  readonly sound: () => boolean;
  readonly approvals: Pick<Approvals, 'waiting'>;
  /** What was quoted to the owner for an act; undefined once it is signed, or where it never was. */
  readonly quoted: (act: string) => Quote | undefined;
  readonly hasPasskeys: () => boolean;
  /** What lies in an escrow; without an asset where its token is not known any more. Throws `NOT_FOUND`. */
  readonly escrow: (id: string) => { readonly asset: Asset | undefined; readonly units: BaseUnits };
}

/** Whether an act takes proof that the owner is there, by what it would do now. */
export type NeedsProof = { readonly [R in ProvenRoute]: (input: ParsedRouteInput<R>, caller: Caller) => boolean };

const EVERYTHING: PresenceRule = { above: baseUnits(0n) };

/** Every act that may take proof. What only tightens never does, so that nobody is kept from stopping. */
export function provenActs({ realMoney, policy, sound, approvals, quoted, hasPasskeys, escrow }: ActPorts): NeedsProof {
  const rule = (): PresenceRule => (realMoney && !sound() ? EVERYTHING : presenceRule(policy(), realMoney));
  const isOn = (): boolean => rule() !== 'off';
  const approvesMuch = ({ act }: { readonly act?: string | undefined }): boolean => {
    const quote = act === undefined ? undefined : quoted(act);
    return quote !== undefined && quote.terms.kind === 'approve' && isAbove(rule(), usdOf(quote.asset, baseUnits(quote.terms.amount), NO_PRICES));
  };
  /** Only a page in a browser can be driven by an agent: whoever has a terminal or a window of the desktop runs programs already. */
  const isDrivable = ({ origin }: Caller): boolean => origin !== undefined;
  // The passphrase in such a request may be one that the browser filled in; on a terminal it is the proof.
  const showsKeys = (_input: unknown, caller: Caller): boolean => isDrivable(caller) && hasPasskeys();
  const onPage = (_input: unknown, caller: Caller): boolean => isDrivable(caller) && isOn();
  return {
    'approvals.decide': ({ paymentId, decision }) => {
      const waiting = approvals.waiting().find(({ payment }) => payment.id === paymentId);
      return decision === 'approve' && waiting !== undefined && isAbove(rule(), usdOfPayment(waiting.assessment));
    },
    // Payments of that tool are no longer asked about; blocking a server only tightens.
    'approvals.saveRule': ({ kind }) => isOn() && kind === 'allow-tool',
    'delegations.approve': approvesMuch,
    'delegations.topUp': approvesMuch,
    'requests.approve': approvesMuch,
    'policy.set': ({ policy: given }) => isOn() && loosens(policy(), withPresenceOf(policy(), given), realMoney),
    'policy.resume': () => isOn() && policy().paused === true,
    // It puts the default policy in force, and the one that would say so may be what was changed.
    'ledger.accept': () => realMoney || isOn(),
    'presence.set': ({ above }) => loosensPresence(policy(), { ...policy(), presence: { ...policy().presence, unit: 'USD', above } }, realMoney),
    'presence.passkeys.add': hasPasskeys,
    'presence.passkeys.remove': () => true,
    // Whoever has the link has the money.
    'escrows.link'({ id }) {
      const { asset, units } = escrow(id);
      return isAbove(rule(), asset && usdOf(asset, units, NO_PRICES));
    },
    // They see the links of all payments to come, and of those that are mailed again.
    'escrows.setPage': isOn,
    'escrows.setMail': ({ mail }) => isOn() && mail !== null,
    'seeds.reveal': showsKeys,
    'accounts.export': showsKeys,
    'backup.create': showsKeys,
    // A program may read the keychain and the screen, and so needs no approval any more; a server under the name of one that was removed is let through by its rules.
    'upstreams.add': onPage,
    'upstreams.addPasted': onPage,
    'clients.import': onPage,
    'clients.protect': onPage,
    // A rule of the owner's may pay whom they know; a network's or a settler's word is what counts as paid (I5); a client asks for what its scopes allow.
    'contacts.add': onPage,
    'contacts.edit': onPage,
    'networks.set': onPage,
    'facilitators.set': onPage,
    'clients.add': onPage,
    'clients.setScopes': onPage,
    // The token of a client is its scopes and its budget.
    'clients.rotate': onPage,
    'clients.token': onPage,
    'clients.link': onPage,
  };
}
