import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { MoneyView } from '../../../shared/contract/values.ts';
import { formatUnits } from '../../../shared/money/money.ts';
import { groupAddress } from '../../format/address.ts';
import { formatAmount, formatAmountShort, formatMoney } from '../../format/money.ts';
import { formatMoment, formatMomentShort } from '../../format/time.ts';
import { commonTexts } from '../../texts/common.ts';
import { useAnnounce } from './announcer.tsx';
import { Tooltip } from './tooltip.tsx';

/** A text from outside: kept apart from its surroundings in direction, and broken anywhere. */
export function Untrusted({ text, className = '' }: { readonly text: string; readonly className?: string }) {
  return <bdi className={`untrusted ${className}`}>{text}</bdi>;
}

/** An amount with its symbol. Every digit is shown; a very long one breaks. */
export function Amount({ money, className = '' }: { readonly money: MoneyView; readonly className?: string }) {
  return (
    <span className={`tabular-nums ${className}`}>
      <bdi className="untrusted">{formatAmount(money)}</bdi> <Untrusted text={money.asset.symbol} />
    </span>
  );
}

/** What an account holds, in a short form; where digits are left out, all of them are named on hover and for copying. */
export function Holding({ money, className = '' }: { readonly money: MoneyView; readonly className?: string }) {
  const short = formatAmountShort(money);
  if (short === formatAmount(money)) return <Amount money={money} className={className} />;
  return (
    <span className="inline-flex items-baseline gap-1">
      <span className="-my-1 self-center">
        <CopyButton text={formatUnits(BigInt(money.units), money.asset.decimals)} what={formatMoney(money)} />
      </span>
      <span className={`tabular-nums ${className}`} title={formatMoney(money)}>
        <bdi className="untrusted">{short}</bdi> <Untrusted text={money.asset.symbol} />
      </span>
    </span>
  );
}

/** An address in full, in groups of four. The gaps are drawn: selecting it copies the bare address. */
export function Address({ address }: { readonly address: string }) {
  return (
    <bdi dir="ltr" className="font-mono text-[0.93em]">
      {groupAddress(address).map((group, index) => (
        <span key={index}>
          <span className="mr-[0.55ch] inline-block">{group}</span>
          <wbr />
        </span>
      ))}
    </bdi>
  );
}

/** A moment, short on screen and in full on hover and for machines. */
export function Moment({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {formatMomentShort(at)}
    </time>
  );
}

const COPIED_FOR = 1_600;

/** A small button that copies a text and says so. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const announce = useAnnounce();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_FOR);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return announce(commonTexts.copyFailed, 'failure');
    }
    setCopied(true);
    announce(commonTexts.copied);
  }

  const Icon = copied ? Check : Copy;
  return (
    <Tooltip text={copied ? commonTexts.copied : commonTexts.copy(what)}>
      <button type="button" aria-label={commonTexts.copy(what)} onClick={() => void copy()} className="-my-0.5 shrink-0 rounded-md p-1 text-muted hover:bg-inset hover:text-ink">
        <Icon aria-hidden="true" className={`size-4 ${copied ? 'text-ok' : ''}`} />
      </button>
    </Tooltip>
  );
}
