import { CircleDashed, CirclePlay, CirclePower, RotateCw } from 'lucide-react';
import type { ServerHealth } from '../../../../shared/contract/upstream-state.ts';
import type { UpstreamView } from '../../../../shared/contract/upstreams.ts';
import { serverTexts as texts } from '../../../texts/servers.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { CopyButton, Moment, Untrusted } from '../../parts/texts.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { useAct } from '../../server-state.tsx';
import { ServerSignIn } from '../server-sign-in.tsx';
import { ServerBudget } from './server-budget.tsx';
import { ServerLogs } from './server-logs.tsx';
import { ServerTools } from './server-tools.tsx';

interface ServerCardProps {
  readonly server: UpstreamView;
  readonly health: ServerHealth | undefined;
  readonly onAct: (kind: 'budget' | 'remove') => void;
}

/** One server. */
export function ServerCard({ server, health, onAct }: ServerCardProps) {
  const { name, kind, address, enabled, mcpUrl, authorization } = server;
  const words = kind === 'stdio' ? texts.states : texts.httpStates;
  return (
    <Card title={name} aside={<StateBadge enabled={enabled} state={health?.state ?? 'stopped'} words={words} />}>
      <p className="-mt-2 text-sm text-muted">
        {texts.kinds[kind]}
        {': '}
        <Untrusted text={address} className="font-mono" />
      </p>
      {authorization && <ServerSignIn upstream={name} authorization={authorization} />}
      <div className="mt-4 grid gap-4 md:grid-cols-3">
        <ServerBudget upstream={name} />
        <dl className="grid content-start gap-3 sm:grid-cols-2 md:col-span-2">
          <Fact label={kind === 'stdio' ? texts.started : texts.opened}>{health?.startedAt === undefined ? <span className="text-muted">{texts.never}</span> : <Moment at={health.startedAt} />}</Fact>
          <Fact label={texts.lastError}>
            {health?.lastError ? (
              <>
                <Moment at={health.lastError.at} />
                <br />
                <Untrusted text={health.lastError.message} className="text-sm text-danger" />
              </>
            ) : (
              <span className="text-muted">{texts.noError}</span>
            )}
          </Fact>
          <Fact label={texts.address} wide>
            <span className="flex items-start gap-2">
              <Untrusted text={mcpUrl} className="min-w-0 font-mono text-sm" />
              <CopyButton text={mcpUrl} what={texts.copyAddress(name)} />
            </span>
          </Fact>
        </dl>
      </div>
      <div className="mt-4 grid gap-2">
        <ServerTools upstream={name} />
        <ServerLogs upstream={name} />
      </div>
      <ServerButtons server={server} onAct={onAct} />
    </Card>
  );
}

const ICONS = { running: CirclePlay, restarting: RotateCw, stopped: CircleDashed };
const TONES = { running: 'bg-ok-soft text-ok', restarting: 'bg-warn-soft text-warn', stopped: 'bg-inset text-muted' };

function StateBadge({ enabled, state, words }: { readonly enabled: boolean; readonly state: ServerHealth['state']; readonly words: Readonly<Record<ServerHealth['state'], { readonly label: string; readonly note: string }>> }) {
  const Icon = enabled ? ICONS[state] : CirclePower;
  return (
    <span title={enabled ? words[state].note : undefined} className={`inline-flex items-center gap-1.5 rounded-full py-0.5 pr-2.5 pl-2 text-sm font-medium whitespace-nowrap ${enabled ? TONES[state] : TONES.stopped}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      {enabled ? words[state].label : texts.switchedOff}
    </span>
  );
}

function ServerButtons({ server: { name, enabled }, onAct }: Pick<ServerCardProps, 'server' | 'onAct'>) {
  const test = useAct('upstreams.test');
  const toggle = useAct('upstreams.setEnabled');
  const announce = useAnnounce();
  const error = test.error ?? toggle.error;
  const flip = () => {
    test.reset();
    toggle.mutate({ name, enabled: !enabled }, { onSuccess: () => announce(enabled ? texts.isOff(name) : texts.isOn(name)) });
  };
  return (
    <div className="mt-4 grid gap-3">
      <div role="status" className="empty:hidden">
        {test.data && (
          <p className="text-sm text-ok">
            {texts.tested(String(test.data.tookMs), test.data.tools.length + test.data.more)} <Untrusted text={texts.testedAs(test.data.server, test.data.protocolVersion)} className="text-muted" /> <span className="text-muted">{texts.testNote}</span>
          </p>
        )}
      </div>
      {error && <ErrorCallout error={error.info} />}
      <div className="flex flex-wrap gap-2">
        {enabled && (
          <Button disabled={test.isPending} aria-label={texts.testOf(name)} onClick={() => test.mutate({ name })}>
            {test.isPending ? texts.testing : texts.test}
          </Button>
        )}
        <Button aria-label={texts.budgetOf(name)} onClick={() => onAct('budget')}>
          {texts.budget}
        </Button>
        <Button disabled={toggle.isPending} aria-label={enabled ? texts.switchOffOf(name) : texts.switchOnOf(name)} onClick={flip}>
          {enabled ? texts.switchOff : texts.switchOn}
        </Button>
        <Button kind="quiet" aria-label={texts.removeOf(name)} onClick={() => onAct('remove')}>
          {texts.remove}
        </Button>
      </div>
    </div>
  );
}
