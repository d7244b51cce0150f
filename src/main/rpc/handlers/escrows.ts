import type { Assets } from '../../../core/registry/assets.ts';
import { requireNetwork, type NetworkId } from '../../../core/registry/networks.ts';
import type { ParsedRouteInput } from '../../../shared/contract/contract.ts';
import type { ClaimPageConfig, ClaimSettings, EscrowView } from '../../../shared/contract/escrows.ts';
import { BursarError, isBursarError } from '../../../shared/errors/errors.ts';
import { testMail, sendMail } from '../../adapters/mail/mailer.ts';
import type { Escrow } from '../../adapters/store/escrows.ts';
import type { MailStore } from '../../adapters/store/mail-settings.ts';
import { checkEmail } from '../../../shared/text/recipient.ts';
import type { Escrows, SendToOrder } from '../../escrow/escrows.ts';
import { OWNER_CLIENT } from '../../http-buyer/http-buyer.ts';
import { canonicalAmount } from '../../wallet/amount.ts';
import { DEFAULT_TOKEN } from '../../wallet/send-terms.ts';
import { moneyView } from '../payment-views.ts';
import { escrowQuoteView } from '../quote-views.ts';
import type { Handlers } from '../router.ts';
import type { SecretsShown } from '../secrets-shown.ts';

export interface EscrowDeps {
  readonly escrows: Omit<Escrows, 'sweep'>;
  readonly mail: MailStore;
  readonly assets: Assets;
  readonly claims: () => { readonly pageUrl: string; readonly expiryDays: number };
  readonly setClaims: (claims: { pageUrl: string; expiryDays: number }) => Promise<void>;
  readonly pageConfig: () => ClaimPageConfig;
  readonly shown: Pick<SecretsShown, 'show'>;
  readonly changed: () => void;
}

type Routes = Extract<keyof Handlers, `escrows.${string}`>;

export function escrowHandlers({ escrows: { store, sendTo, quoteTo, refund, resend, message, claim }, mail, assets, claims, setClaims, pageConfig, shown, changed }: EscrowDeps): Pick<Handlers, Routes> {
  async function view(escrow: Escrow): Promise<EscrowView> {
    const { recipient, memo } = await store.details(escrow.id).catch((error: unknown) => {
      if (isBursarError(error, 'WALLET_LOCKED')) return { recipient: { kind: 'email', to: '', name: '' } as const, memo: '' };
      throw error;
    });
    const { id, state, network, asset, units, address, transaction, delivery, deliveryError, createdAt, expiresAt } = escrow;
    const paymentId = store.funding(escrow)?.paymentId ?? '';
    return { id, state, kind: recipient.kind, recipient: recipient.to, recipientName: recipient.name, memo, money: moneyView({ network, asset, amount: units }, assets), address, paymentId, transaction, delivery, deliveryError, createdAt, expiresAt };
  }

  async function settings(): Promise<ClaimSettings> {
    const set = await mail.get().catch((error: unknown) => {
      if (isBursarError(error, 'WALLET_LOCKED')) return undefined;
      throw error;
    });
    if (!set) return { ...claims(), mail: null };
    const { password: _, ...told } = set;
    return { ...claims(), mail: told };
  }

  const never = () => new AbortController().signal;

  return {
    'escrows.quote': async (input, { gone = never() }) => escrowQuoteView(await quoteTo(orderOf(input), OWNER_CLIENT, gone), assets),
    async 'escrows.send'(input, { connection, gone = never() }) {
      const sent = await sendTo(orderOf(input), { client: OWNER_CLIENT, session: connection, seenIn: () => '', signal: gone, progress: () => {} });
      if (sent.kind === 'refusal') throw new BursarError(sent.error.code, sent.error.message, { hint: sent.error.hint, context: sent.error.context });
      if (sent.kind === 'pending') throw new BursarError('PAYMENT_PENDING', `The payment ${sent.paymentId} waits for your decision.`, { hint: 'Decide in Bursar, then do the same again: it is sent at most once.' });
      sent.delivered(!gone.aborted);
      return { paymentId: sent.paymentId, transaction: sent.transaction, escrow: await view(sent.escrow) };
    },
    'escrows.list': async ({ limit }) => ({ escrows: await Promise.all(store.page(limit).map(view)) }),
    'escrows.refund': async ({ id }, { gone = never() }) => view(await refund(id, gone)),
    'escrows.resend': async ({ id }) => view(await resend(id)),
    async 'escrows.link'({ id }, { surface, connection }) {
      const handed = await message(id);
      if (surface === 'dashboard') shown.show(connection);
      return handed;
    },
    async 'escrows.claim'({ link, to }, { gone = never() }) {
      const claimed = await claim(link, to, gone);
      const { network, address: asset } = claimed.asset;
      return { money: moneyView({ network, asset, amount: claimed.units }, assets), to: claimed.to, transaction: claimed.transaction, networkName: requireNetwork(network satisfies NetworkId).name };
    },
    'escrows.settings': settings,
    async 'escrows.setPage'({ pageUrl, expiryDays = claims().expiryDays }) {
      await setClaims({ pageUrl: pageUrl === '' ? '' : checkPage(pageUrl), expiryDays });
      changed();
      return settings();
    },
    async 'escrows.setMail'({ mail: given }) {
      if (given?.plain === true && !given.secure && !LOCAL_HOSTS.includes(given.host.toLowerCase())) {
        throw new BursarError('INPUT_INVALID', `Without TLS, whoever is on the way to ${given.host} reads the links and can take the money.`, { hint: 'Only a mail server on this machine is used so. Nothing was changed.', context: { field: 'plain' } });
      }
      if (given) await mail.set({ ...given, from: checkEmail(given.from) });
      else mail.remove();
      changed();
      return settings();
    },
    async 'escrows.testMail'({ to }) {
      const set = await mail.get();
      if (!set) throw new BursarError('NOT_FOUND', 'No mail server is set.', { hint: 'Set one with: bursar mail set' });
      if (to === undefined) await testMail(set);
      else await sendMail(set, { to: checkEmail(to), subject: 'A test of Bursar', text: 'Bursar can send mail with these settings.', html: '<p>Bursar can send mail with these settings.</p>' });
      return {};
    },
    'escrows.pageConfig': pageConfig,
  };
}

/** The owner's own order: rules name its tool. */
const orderOf = ({ kind, to, amount, token = DEFAULT_TOKEN, network, memo, from }: ParsedRouteInput<'escrows.send'>): SendToOrder => ({
  tool: 'send',
  kind,
  to,
  amount: canonicalAmount(amount),
  token,
  memo,
  byOwner: true,
  ...(network !== undefined && { network }),
  ...(from !== undefined && { from }),
});

const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** The fragment is the link's own, and what goes over plain HTTP is read and changed on its way. */
function checkPage(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !isLocal)) throw new BursarError('INPUT_INVALID', 'The claim page has to have an https address.', { hint: 'On this machine http is taken as well.' });
  if (url.hash !== '' || url.search !== '' || url.username !== '') throw new BursarError('INPUT_INVALID', 'Give the address of the claim page without ?, # and user name.');
  return url.href;
}
