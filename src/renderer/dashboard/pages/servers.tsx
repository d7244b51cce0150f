import { Plus } from 'lucide-react';
import { useState } from 'react';
import { serverTexts as texts } from '../../texts/servers.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../server-state.tsx';
import { FoundServersCard } from './found-servers.tsx';
import { AddServerDialog } from './servers/add-dialog.tsx';
import { ServerActs, type ServerAct } from './servers/server-acts.tsx';
import { ServerCard } from './servers/server-card.tsx';

/** The servers behind Bursar: how they are, what they cost, what they may take, and what they last said. */
export function ServersPage() {
  const upstreams = useRead('upstreams.list', {});
  const health = useRead('upstreams.health', {}).data?.servers ?? [];
  const [adding, setAdding] = useState(false);
  const [act, setAct] = useState<ServerAct>();
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden="true" className="size-4" />
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} aside={add}>
      <div className="grid grid-cols-1 gap-4">
        <Loaded query={upstreams} lines={8}>
          {(value) =>
            value.upstreams.length === 0 ? (
              <Card title={texts.list}>
                <Empty title={texts.none} hint={texts.noneHint} />
              </Card>
            ) : (
              value.upstreams.map((server) => <ServerCard key={server.name} server={server} health={health.find(({ name }) => name === server.name)} onAct={(kind) => setAct({ kind, server })} />)
            )
          }
        </Loaded>
        <FoundServersCard />
      </div>
      <AddServerDialog open={adding} onClose={() => setAdding(false)} />
      <ServerActs act={act} onClose={() => setAct(undefined)} />
    </Page>
  );
}
