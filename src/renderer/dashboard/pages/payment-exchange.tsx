import { ExternalLink, FileDown } from 'lucide-react';
import type { PaymentDetail, TimelineEntry } from '../../../shared/contract/payments.ts';
import { formatMoment } from '../../format/time.ts';
import { exchangeTexts as texts } from '../../texts/history.ts';
import { saveFile } from '../history/save-file.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton, Untrusted } from '../parts/texts.tsx';

/** What happened to a payment, in order. */
export function Timeline({ entries, isSend }: { readonly entries: readonly TimelineEntry[]; readonly isSend: boolean }) {
  if (entries.length === 0) return undefined;
  return (
    <section aria-label={texts.timeline}>
      <h3 className="text-sm text-muted">{texts.timeline}</h3>
      <ol className="mt-2 border-l-2 border-line">
        {entries.map(({ at, kind, detail }, place) => (
          <li key={place} className="relative pb-3 pl-4 last:pb-0">
            <span aria-hidden="true" className="absolute top-1.5 -left-[0.4rem] size-2.5 rounded-full border-2 border-surface bg-accent" />
            <p className="flex flex-wrap justify-between gap-x-4">
              <span className="font-medium">{(isSend ? texts.sendKinds[kind] : undefined) ?? texts.kinds[kind] ?? kind}</span>
              <time dateTime={new Date(at).toISOString()} className="text-sm text-muted">
                {formatMoment(at)}
              </time>
            </p>
            {detail && (
              <p className="text-sm text-muted">
                <Untrusted text={detail} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Leads out of Bursar, and only where the owner follows it. */
export function Explorer({ url }: { readonly url: string }) {
  return (
    <p className="text-sm">
      <a href={url} target="_blank" rel="noopener noreferrer" className="inline-flex items-center gap-1.5 font-medium text-accent underline underline-offset-2">
        {texts.explorer}
        <ExternalLink aria-hidden="true" className="size-3.5" />
      </a>
      <span className="mt-0.5 block text-muted">{texts.explorerNote(new URL(url).host)}</span>
    </p>
  );
}

/** What went out and came back, folded. */
export function Exchange({ detail }: { readonly detail: PaymentDetail }) {
  const held = detail.disputable && detail.proofText === '';
  const parts: readonly (readonly [string, string])[] = [
    [texts.arguments, detail.argumentsText],
    [texts.proof, held ? texts.proofHeld : detail.proofText],
    [texts.receipt, detail.receiptText],
    [texts.answer, detail.answerText],
  ];
  if (parts.every(([, text]) => text === '')) return undefined;
  return (
    <details>
      <summary className="text-sm text-muted">{texts.exchange}</summary>
      <div className="mt-2 grid gap-3">
        {parts
          .filter(([, text]) => text !== '')
          .map(([label, text]) => (
            <div key={label} className="min-w-0">
              <div className="flex items-center justify-between gap-2">
                <h3 className="text-sm text-muted">{label}</h3>
                <CopyButton text={text} what={label.toLowerCase()} />
              </div>
              <pre tabIndex={0} role="region" aria-label={label} className="untrusted mt-1 max-h-72 overflow-auto rounded-xl bg-inset p-4 font-mono text-sm whitespace-pre-wrap">
                {text}
              </pre>
            </div>
          ))}
      </div>
    </details>
  );
}

/** The dispute packet as files: a page to read and the figures to check. */
export function SaveDispute({ paymentId, packet, markdown }: { readonly paymentId: string; readonly packet: object; readonly markdown: string }) {
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <Button onClick={() => saveFile(`${paymentId}-dispute.md`, 'text/markdown;charset=utf-8', [markdown])}>
        <FileDown aria-hidden="true" className="size-4" />
        {texts.saveReport}
      </Button>
      <Button onClick={() => saveFile(`${paymentId}-dispute.json`, 'application/json', [JSON.stringify(packet, null, 2)])}>
        <FileDown aria-hidden="true" className="size-4" />
        {texts.saveJson}
      </Button>
    </div>
  );
}
