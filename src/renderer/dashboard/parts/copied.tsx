import { Fact } from './fact.tsx';
import { CopyButton, Untrusted } from './texts.tsx';

/** A text to be copied, beside its name; a long one scrolls within. */
export const Copied = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Fact label={label}>
    <span className="flex items-start justify-between gap-2">
      <span className="max-h-36 min-w-0 overflow-auto" tabIndex={0} role="group" aria-label={label}>
        <Untrusted text={text} className="font-mono text-sm" />
      </span>
      <CopyButton text={text} what={label.toLowerCase()} />
    </span>
  </Fact>
);
