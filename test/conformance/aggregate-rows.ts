import { fileURLToPath } from 'node:url';
import { startBursar } from './bursar.ts';
import { startHttp } from './fixture/server.ts';
import { compare, type Outcomes, type Row } from './row.ts';
import { startSuiteNames } from './suite-names.ts';
import { runSuite, SUITES } from './suite.ts';

const FIXTURE = fileURLToPath(new URL('./fixture/server.ts', import.meta.url));

/** What says nothing of a gateway, and why. */
export const LEFT_OUT = {
  scenarios: 'server-tasks-',
  why: 'the fixture has no tasks, and all servers together say that they may have some before any of them runs',
};

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
          const [direct, through] = [await runSuite(suite, ['server', '--url', url, ...suite.server]), await runSuite(suite, ['server', '--url', names.url, ...suite.server])];
          yield compare(`all servers ${suite.name}`, `http → ${upstream}`, withoutLeftOut(direct), withoutLeftOut(through));
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

const withoutLeftOut = (outcomes: Outcomes): Outcomes => new Map([...outcomes].filter(([check]) => !check.startsWith(LEFT_OUT.scenarios)));
