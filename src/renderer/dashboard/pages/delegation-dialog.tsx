import { useState, type FormEvent, type ReactNode } from 'react';
import type { AccountView } from '../../../shared/contract/accounts.ts';
import type { RouteInput } from '../../../shared/contract/contract.ts';
import type { DelegationQuote } from '../../../shared/contract/delegations.ts';
import { formatMoney } from '../../format/money.ts';
import { delegationTexts as texts } from '../../texts/delegation.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { Address, Untrusted } from '../parts/texts.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { useAct, useRead } from '../server-state.tsx';

export type DelegationOrder = RouteInput<'delegations.quote'>;

interface DelegationDialogProps {
  /** What is to be done; undefined while nothing is. */
  readonly order: DelegationOrder | undefined;
  /** The request of an agent that it answers. */
  readonly requestId?: string;
  readonly onClose: () => void;
}

/** Shows the exact terms of an approval or its end, and signs them once the owner said so. */
export function DelegationDialog({ order, requestId, onClose }: DelegationDialogProps) {
  return (
    <Dialog open={order !== undefined} title={order ? texts.titles[order.kind] : ''} onClose={onClose} form="centre">
      {order && <Parts order={order} requestId={requestId} onClose={onClose} />}
    </Dialog>
  );
}

function Parts({ order, requestId, onClose }: { readonly order: DelegationOrder; readonly requestId: string | undefined; readonly onClose: () => void }) {
  const [draft, setDraft] = useState(order);
  const quote = useAct('delegations.quote');
  const isRevoke = draft.kind === 'revoke';

  function submit(event: FormEvent) {
    event.preventDefault();
    quote.mutate(draft);
  }

  if (quote.data) return <Terms quote={quote.data} requestId={requestId} onBack={() => quote.reset()} onClose={onClose} />;
  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={submit}>
      {isRevoke ? undefined : (
        <>
          <AccountField label={texts.ownerField} value={draft.owner ?? ''} onChange={(owner) => setDraft({ ...draft, owner })} />
          <AccountField label={texts.delegateField} value={draft.delegate ?? ''} onChange={(delegate) => setDraft({ ...draft, delegate })} />
          <TextField label={draft.kind === 'topUp' ? texts.addField : texts.amountField} value={draft.amount ?? ''} inputMode="decimal" required onChange={(amount) => setDraft({ ...draft, amount: amount.trim() })} />
          <p className="text-sm text-muted">{texts.elsewhere}</p>
        </>
      )}
      {quote.error && <ErrorCallout error={quote.error.info} />}
      <Button kind="primary" type="submit" disabled={quote.isPending}>
        {quote.isPending ? texts.showing : texts.show}
      </Button>
    </form>
  );
}

interface AccountFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (address: string) => void;
}

function AccountField({ label, value, onChange }: AccountFieldProps) {
  const accounts: readonly AccountView[] = (useRead('accounts.list', {}).data?.accounts ?? []).filter(({ namespace }) => namespace === 'solana');
  const known = accounts.some(({ address }) => address === value);
  return (
    <SelectField
      label={label}
      value={value}
      onChange={onChange}
      options={[{ value: '', label: texts.choose }, ...(value !== '' && !known ? [{ value, label: value }] : []), ...accounts.map(({ address, label: name }) => ({ value: address, label: `${name} · ${address}` }))]}
      required
    />
  );
}

interface TermsProps {
  readonly quote: DelegationQuote;
  readonly requestId: string | undefined;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

function Terms({ quote, requestId, onBack, onClose }: TermsProps) {
  const { kind, money, replaces, tokenAccount, balance, owner, ownerLabel, delegate, delegateLabel, fee, warnings, act } = quote;
  const perform = useAct(`delegations.${kind}`);
  const answer = useAct('requests.approve');
  const announce = useAnnounce();
  const pending = perform.isPending || answer.isPending;
  const error = perform.error ?? answer.error;

  function finish(state: keyof typeof texts.done) {
    announce(texts.done[state], state === 'dead' ? 'failure' : undefined);
    onClose();
  }

  function sign() {
    if (requestId === undefined) return perform.mutate({ act }, { onSuccess: ({ state }) => finish(state) });
    return answer.mutate({ id: requestId, act }, { onSuccess: ({ act: done }) => finish(done?.state ?? 'signed') });
  }

  return (
    <div className="grid grid-cols-1 gap-4">
      <dl className="grid grid-cols-1 gap-3">
        {kind !== 'revoke' && <Fact label={texts.mayBeSpent} value={<span className="text-xl font-semibold tabular-nums">{formatMoney(money)}</span>} />}
        {replaces && <Fact label={kind === 'revoke' ? texts.takenBack : texts.left} value={<span className={kind === 'revoke' ? 'text-xl font-semibold tabular-nums' : 'tabular-nums'}>{formatMoney(replaces.money)}</span>} />}
        <Fact label={texts.delegate} value={<Party label={delegateLabel} address={delegate} />} />
        <Fact label={texts.owner} value={<Party label={ownerLabel} address={owner} />} />
        <Fact label={texts.tokenAccount} value={<><Address address={tokenAccount} /> <span className="text-muted">{texts.holds(formatMoney(balance))}</span></>} />
        <Fact label={texts.network} value={<Untrusted text={money.asset.networkName} />} />
        <Fact label={texts.fee} value={formatMoney(fee)} />
      </dl>
      <Warnings warnings={warnings} />
      {error && <ErrorCallout error={error.info} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={pending} onClick={onBack}>
          {texts.back}
        </Button>
        <Button kind="primary" disabled={pending} onClick={sign}>
          {pending ? texts.signing : texts.sign[kind]}
        </Button>
      </div>
    </div>
  );
}

const Fact = ({ label, value }: { readonly label: string; readonly value: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-sm text-muted">{label}</dt>
    <dd className="wrap-anywhere">{value}</dd>
  </div>
);

const Party = ({ label, address }: { readonly label: string; readonly address: string }) => (
  <>
    {label !== '' && (
      <>
        <Untrusted text={label} className="font-medium" />{' '}
      </>
    )}
    <Address address={address} />
  </>
);
