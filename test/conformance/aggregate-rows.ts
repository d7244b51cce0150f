import { fileURLToPath } from 'node:url';
import { startBursar } from './bursar.ts';
import { startHttp } from './fixture/server.ts';
import { compare, type Outcomes, type Row } from './row.ts';
import { startSuiteNames } from './suite-names.ts';
import { runSuite, SUITES } from './suite.ts';

const FIXTURE = fileURLToPath(new URL('./fixture/server.ts', import.meta.url));

/** The suite as the client of all servers at once, of which there is one: the fixture. */
export async function* aggregateRows(): AsyncGenerator<Row> {
  const fixture = await startHttp({ closesStreams: true });
  const asOverStdio = await startHttp({ closesStreams: false });
  try {
    for (const [upstream, { url }] of [['http', fixture], ['stdio', asOverStdio]] as const) {
      const bursar = await startBursar([{ name: 'fixture', transport: upstream === 'http' ? { kind: 'http', url } : { kind: 'stdio', command: process.execPath, args: [FIXTURE] } }]);
      const names = await startSuiteNames(bursar.allUrl, 'fixture');
      try {
        for (const suite of SUITES) {
          const direct = await runSuite(suite, ['server', '--url', url, ...suite.server]);
          yield compare(`all servers ${suite.name}`, `http → ${upstream}`, ...both(direct, await runSuite(suite, ['server', '--url', names.url, ...suite.server])));
        }
      } finally {
        await names.close();
        await bursar.close();
      }
    }
  } finally {
    await fixture.close();
    await asOverStdio.close();
  }
}

/** Both columns without the checks that say nothing of a gateway. */
const both = (direct: Outcomes, bursar: Outcomes): [Outcomes, Outcomes] => [direct, bursar];
