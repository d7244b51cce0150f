import { Callout } from './callout.tsx';
import { Untrusted } from './texts.tsx';

/** What the owner should know before an act, a sentence each; nothing where there is none. */
export function Warnings({ title, warnings }: { readonly title?: string; readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return undefined;
  return (
    <Callout tone="warn">
      {title && <p className="font-semibold">{title}</p>}
      <ul className="mt-1 grid gap-1 first:mt-0">
        {warnings.map((warning) => (
          <li key={warning}>
            <Untrusted text={warning} />
          </li>
        ))}
      </ul>
    </Callout>
  );
}
