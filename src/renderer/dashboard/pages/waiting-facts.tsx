import type { ApprovalFacts } from '../../../shared/contract/approvals.ts';
import { formatAmount, formatBudget, formatUsd } from '../../format/money.ts';
import { approvalTexts as texts } from '../../texts/approval.ts';
import { wayToPay } from '../../texts/ways-to-pay.ts';
import { Callout } from '../parts/callout.tsx';
import { Fact } from '../parts/fact.tsx';
import { Identicon } from '../parts/identicon.tsx';
import { Address, Untrusted } from '../parts/texts.tsx';

/** What the approval page shows of a request, to be read: nothing of it is decided here. */
export function WaitingFacts({ facts }: { readonly facts: ApprovalFacts }) {
  const { order, contact, firstPayment, payee, payer, payerLabel, rule, budgets, description, memo, fees, upstreamAddress } = facts;
  const known = [contact && !order && `${texts.contact}${contact.name}`, firstPayment && texts.firstPayment].filter((words) => typeof words === 'string');
  return (
    <div className="mt-4 grid gap-3 border-t border-line pt-4">
      <Warnings facts={facts} />
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        <Fact label={order ? texts.sendTo : texts.payTo}>
          <span className="flex items-start gap-3">
            <Identicon address={payee} className="mt-0.5 size-8" />
            <span className="min-w-0">
              {order && order.recipient !== payee && <Untrusted text={order.recipient} className="block font-medium" />}
              <Address address={payee} />
              {known.map((words) => (
                <Untrusted key={words} text={words} className="block text-muted" />
              ))}
            </span>
          </span>
        </Fact>
        <Fact label={texts.rule}>
          <Untrusted text={rule} />
        </Fact>
        <Fact label={order ? texts.sendMemo : texts.words}>
          {(order ? order.memo : description).trim() === '' ? <span className="text-muted">{order ? texts.noMemo : texts.noWords}</span> : <Untrusted text={order ? order.memo : description} className="block max-h-32 overflow-auto whitespace-pre-line" />}
        </Fact>
        <Fact label={texts.from}>
          <Untrusted text={payerLabel} className="font-medium" /> <Address address={payer} />
        </Fact>
        {!order && upstreamAddress !== '' && (
          <Fact label={texts.serverAddress}>
            <Untrusted text={upstreamAddress} className="font-mono" />
          </Fact>
        )}
        {memo !== '' && (
          <Fact label={texts.memo}>
            <Untrusted text={memo} />
          </Fact>
        )}
        {fees.map((fee) => (
          <Fact key={`${fee.asset.network} ${fee.asset.address}`} label={texts.feeLabel}>
            <Untrusted text={texts.fee(`${formatAmount(fee)} ${fee.asset.symbol}`, fee.asset.networkName)} />
          </Fact>
        ))}
        <Fact label={texts.budgets}>
          {budgets.length === 0 && <span className="text-muted">{texts.noBudgets}</span>}
          <ul>
            {budgets.map((line, index) => (
              <li key={index}>
                <Untrusted text={line.label} className="inline-block first-letter:uppercase" />
                {': '}
                <span className="text-muted tabular-nums">{texts.budget(formatBudget(line, line.usedUnits), formatBudget(line, line.thisUnits), formatBudget(line, line.limitUnits))}</span>
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
      <details className="text-sm">
        <summary className="cursor-pointer text-muted">{texts.arguments}</summary>
        <pre tabIndex={0} role="region" aria-label={texts.arguments} className="mt-2 max-h-48 overflow-auto rounded-lg bg-inset p-3 font-mono text-xs whitespace-pre-wrap">
          <Untrusted text={facts.argumentsText} />
        </pre>
      </details>
    </div>
  );
}

/** What speaks against it, or is otherwise than before. */
function Warnings({ facts: { order, cautions, changes, origins, flow, upfront } }: { readonly facts: ApprovalFacts }) {
  const foreign = origins.filter(({ own }) => !own);
  const moved = order ? (order.byLink ? texts.sendsNoteByLink : texts.sendsNote) : upfront ? texts.flow.prepay : texts.flow[flow];
  const said = [...(order?.warnings ?? []), ...cautions.map((caution) => texts.cautions[caution]), ...(moved ? [moved] : [])];
  if (said.length + changes.length + foreign.length === 0) return null;
  return (
    <Callout tone="warn">
      {said.map((words) => (
        <p key={words} className="untrusted">
          {words}
        </p>
      ))}
      {changes.map(({ what, before, now }) => (
        <p key={what}>
          {texts.changed}: {texts.changedWhat[what]} <Untrusted text={before} />
          {texts.changedTo}
          <Untrusted text={now} className="font-semibold" />
        </p>
      ))}
      {foreign.map(({ what, value, where }) => (
        <p key={`${what} ${value}`}>
          {texts.origins}: {texts.originWhat[what]} <Untrusted text={value} className="font-mono" />, <Untrusted text={texts.originWhere(where)} />
        </p>
      ))}
    </Callout>
  );
}

/** The worth in dollars, where a price is known and says more than the amount does. */
export function worthOf({ usdUnits, money }: Pick<ApprovalFacts, 'usdUnits' | 'money'>): string | undefined {
  const way = wayToPay(money.asset.network);
  return usdUnits === undefined || way === 'test' || (way === 'card' && money.asset.symbol === 'USD') ? undefined : texts.approximately(formatUsd(usdUnits));
}
