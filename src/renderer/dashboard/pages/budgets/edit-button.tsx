import { policyTexts as texts } from '../../../texts/policy.ts';
import { Button } from '../../parts/button.tsx';

interface EditButtonProps {
  readonly isOpen: boolean;
  /** A field is wrong: it is not put away. */
  readonly disabled: boolean;
  /** The name of the row. */
  readonly row: string;
  readonly onToggle: () => void;
}

/** Shows the fields of a row, or puts them away. */
export function EditButton({ isOpen, disabled, row, onToggle }: EditButtonProps) {
  return (
    <Button kind="quiet" aria-expanded={isOpen} disabled={disabled} aria-label={isOpen ? texts.editDoneOf(row) : texts.editOf(row)} onClick={onToggle}>
      {isOpen ? texts.editDone : texts.edit}
    </Button>
  );
}
