import { Callout } from '../../parts/callout.tsx';

/** What a change of the policy lets through that the one in force holds back, a sentence each; nothing where it does not. */
export function LooserWords({ title, loosens }: { readonly title: string; readonly loosens: readonly string[] }) {
  if (loosens.length === 0) return undefined;
  return (
    <Callout tone="warn" role="status">
      <p className="font-medium">{title}</p>
      <ul className="mt-1 list-disc pl-5">
        {loosens.map((sentence) => (
          <li key={sentence} className="untrusted">
            {sentence}
          </li>
        ))}
      </ul>
    </Callout>
  );
}
