import { hidesCharacters, shownExactly } from '../../../../shared/text/shown-exactly.ts';
import { addServerTexts as texts } from '../../../texts/servers.ts';
import { Callout } from '../../parts/callout.tsx';

/** Each word of a command in a box of its own, or an address: character by character what will be used. */
export function ExactWords({ words, kind }: { readonly words: readonly string[]; readonly kind: 'stdio' | 'http' }) {
  return (
    <>
      <ol className="flex flex-wrap gap-1.5">
        {words.map((word, index) => (
          <li key={index} className="max-w-full rounded-lg bg-inset px-2 py-1 font-mono text-sm" title={kind === 'http' ? undefined : index === 0 ? texts.program : texts.argument(index)}>
            <bdi dir="ltr" className="untrusted whitespace-pre-wrap">
              {word === '' ? '""' : shownExactly(word)}
            </bdi>
          </li>
        ))}
      </ol>
      {words.some(hidesCharacters) && (
        <div className="mt-2">
          <Callout tone="warn">{texts.hidden}</Callout>
        </div>
      )}
    </>
  );
}
