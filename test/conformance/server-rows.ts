import { fileURLToPath } from 'node:url';
import { startBursar } from './bursar.ts';
import { startHttp } from './fixture/server.ts';
import { compare, type Row } from './row.ts';
import { runSuite, SUITES } from './suite.ts';

const FIXTURE = fileURLToPath(new URL('./fixture/server.ts', import.meta.url));

/** The suite as the client: the fixture directly, and behind Bursar over stdio and HTTP. */
export async function* serverRows(): AsyncGenerator<Row> {
  const fixture = await startHttp({ closesStreams: true });
  const asOverStdio = await startHttp({ closesStreams: false });
  const bursar = await startBursar([
    { name: 'http', transport: { kind: 'http', url: fixture.url } },
    { name: 'stdio', transport: { kind: 'stdio', command: process.execPath, args: [FIXTURE] } },
  ]);
  try {
    for (const suite of SUITES) {
      for (const [upstream, { url }] of [['http', fixture], ['stdio', asOverStdio]] as const) {
        const direct = await runSuite(suite, ['server', '--url', url, ...suite.server]);
        yield compare(`server ${suite.name}`, `http → ${upstream}`, direct, await runSuite(suite, ['server', '--url', bursar.url(upstream), ...suite.server]));
      }
    }
  } finally {
    await bursar.close();
    await fixture.close();
    await asOverStdio.close();
  }
}
