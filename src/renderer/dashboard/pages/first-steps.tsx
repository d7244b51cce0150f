import { CircleCheck } from 'lucide-react';
import { Link } from 'wouter';
import { firstStepsTexts as texts } from '../../texts/spending.ts';
import { buttonClass } from '../parts/button.tsx';
import { Card } from '../parts/card.tsx';
import { useRead } from '../server-state.tsx';

/** For whom nothing was paid yet: the way to the first paid call, with what is done already. */
export function FirstSteps() {
  const status = useRead('app.status', {}).data;
  const clients = useRead('clients.access', {}).data?.clients ?? [];
  const upstreams = useRead('upstreams.list', {}).data?.upstreams ?? [];
  const steps = [
    { ...texts.steps.connect, href: '/connect', done: clients.some(({ lastSeen }) => lastSeen !== undefined) },
    { ...texts.steps.server, href: '/discover', done: upstreams.some(({ enabled }) => enabled) },
    { ...texts.steps.call, href: '/approvals', done: false },
  ];
  const next = steps.findIndex(({ done }) => !done);
  return (
    <Card title={texts.title} className="border-accent md:col-span-2">
      <p className="text-muted">{status?.environment === 'mainnet' ? texts.intro.real : texts.intro.play}</p>
      <ol className="mt-4 grid gap-4 lg:grid-cols-3">
        {steps.map(({ title, note, go, href, done }, index) => (
          <li key={href} className="flex min-w-0 flex-col items-start rounded-xl bg-inset p-4">
            <p className="flex items-center gap-2 font-medium">
              {done ? <CircleCheck aria-label={texts.done} className="size-5 shrink-0 text-ok" /> : <span className="grid size-5 shrink-0 place-items-center rounded-full border border-control text-xs">{index + 1}</span>}
              {title}
            </p>
            <p className="mt-1 mb-3 text-sm text-muted">{note}</p>
            <Link href={href} className={`${buttonClass(index === next ? 'primary' : 'plain')} mt-auto`}>
              {go}
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  );
}
