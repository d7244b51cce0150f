import type { Policy } from '../../../../shared/policy/policy.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useRead } from '../../server-state.tsx';
import { LooserWords } from './looser-words.tsx';
import { PolicyReplay } from './policy-replay.tsx';

interface ReviewDialogProps {
  readonly open: boolean;
  readonly inForce: Policy;
  readonly policy: Policy;
  readonly saving: boolean;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** What a change lets through, and what it would have done to the payments of the past, before it is saved. */
export function ReviewDialog({ open, onClose, ...rest }: ReviewDialogProps) {
  return (
    <Dialog form="wide" open={open} title={texts.review} onClose={onClose}>
      {open && <Review onClose={onClose} {...rest} />}
    </Dialog>
  );
}

function Review({ inForce, policy, saving, onSave, onClose }: Omit<ReviewDialogProps, 'open'>) {
  const review = useRead('policy.review', { policy });
  const isFine = review.data !== undefined && review.data.problems.length === 0;
  return (
    <ActForm onSubmit={onSave} busy={saving || !isFine} confirm={saving ? texts.saving : texts.confirm} onClose={onClose}>
      <Loaded query={review}>
        {({ problems, loosens }) => (
          <>
            {problems.length > 0 && (
              <Callout tone="danger" role="alert">
                <p className="font-medium">{texts.jsonProblems}</p>
                <ul>
                  {problems.map(({ field, words }) => (
                    <li key={`${field} ${words}`} className="untrusted">
                      <code className="font-mono text-sm">{field || texts.jsonWhole}</code>: {words}
                    </li>
                  ))}
                </ul>
              </Callout>
            )}
            {problems.length === 0 && loosens.length === 0 && <Callout tone="info">{texts.tightens}</Callout>}
            <LooserWords title={texts.loosens} loosens={loosens} />
            {problems.length === 0 && <PolicyReplay inForce={inForce} policy={policy} />}
          </>
        )}
      </Loaded>
    </ActForm>
  );
}
