import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import type { RpcCheck } from '../../../../shared/contract/settings.ts';
import { networkTexts as texts } from '../../../texts/settings.ts';
import { Untrusted } from '../../parts/texts.tsx';

const LOOKS = { ok: { Icon: CircleCheck, look: 'text-ok' }, 'wrong-network': { Icon: TriangleAlert, look: 'text-danger' }, unreachable: { Icon: CircleX, look: 'text-warn' } };

/** What each RPC address answered when it was asked which network it serves. */
export function RpcChecks({ checks }: { readonly checks: readonly RpcCheck[] }) {
  return (
    <ul role="status" className="grid gap-2 rounded-xl bg-inset px-4 py-3">
      {checks.map(({ url, state, text }) => {
        const { Icon, look } = LOOKS[state];
        return (
          <li key={url} className="flex min-w-0 gap-2.5">
            <Icon aria-hidden="true" className={`mt-0.5 size-5 shrink-0 ${look}`} />
            <span className="min-w-0">
              <span className={`font-medium ${look}`}>{texts.states[state]}</span>
              <Untrusted text={text} className="block text-sm" />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
