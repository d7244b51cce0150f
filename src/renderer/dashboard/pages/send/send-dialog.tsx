import { useState } from 'react';
import { sendTexts as texts } from '../../../texts/sends.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { EMPTY_DRAFT, type SendDraft } from './send-draft.ts';
import { SendFields } from './send-fields.tsx';
import { SendDone, SendReview, SendWaiting } from './send-review.tsx';
import { useSend } from './use-send.ts';

/** What a send begins with. */
export interface SendPreset {
  /** Address of the account that pays. */
  readonly from?: string;
  /** Number of the contact who gets it. */
  readonly contact?: number;
}

type Step = 'fill' | 'review' | 'waiting' | 'sent';

const TITLES: Readonly<Record<Step, string>> = { fill: texts.title, review: texts.quoteTitle, waiting: texts.waitingTitle, sent: texts.sentTitle };

/** Sends money in steps: what and to whom, a look at all of it, the wait for the owner's approval, what became of it. Open while there is a preset. */
export function SendDialog({ preset, onClose }: { readonly preset: SendPreset | undefined; readonly onClose: () => void }) {
  const [step, setStep] = useState<Step>('fill');
  const close = () => {
    setStep('fill');
    onClose();
  };
  return (
    <Dialog open={preset !== undefined} title={TITLES[step]} onClose={close}>
      {preset && <Flow preset={preset} step={step} onStep={setStep} onClose={close} />}
    </Dialog>
  );
}

interface FlowProps {
  readonly preset: SendPreset;
  readonly step: Step;
  readonly onStep: (step: Step) => void;
  readonly onClose: () => void;
}

function Flow({ preset, step, onStep, onClose }: FlowProps) {
  const [draft, setDraft] = useState<SendDraft>({ ...EMPTY_DRAFT, from: preset.from ?? '', contact: preset.contact === undefined ? '' : String(preset.contact) });
  const { quote, quoteError, isQuoting, done, sendError, ask, send } = useSend(draft);

  function go() {
    onStep('waiting');
    send((end) => onStep(end === 'sent' ? 'sent' : 'review'));
  }

  if (step === 'sent' && done) return <SendDone sent={done} onClose={onClose} />;
  if (step === 'waiting') return <SendWaiting onClose={onClose} />;
  if (step === 'review' && quote) return <SendReview quote={quote} memo={draft.memo.trim()} error={sendError} onBack={() => onStep('fill')} onSend={go} />;
  return <SendFields draft={draft} onChange={setDraft} error={quoteError} busy={isQuoting} onSubmit={() => ask(() => onStep('review'))} onClose={onClose} />;
}
