// npm run conformance [-- --json]: the public MCP suite against our fixture server, direct and through Bursar.
import { aggregateRows, LEFT_OUT } from './aggregate-rows.ts';
import { serverRows } from './server-rows.ts';
import { authRows } from './auth-rows.ts';
import { clientRows } from './client-rows.ts';
import { realClientRows } from './real-client-rows.ts';
import { installSuite } from './suite.ts';
import type { Counts, Row } from './row.ts';

const json = process.argv.includes('--json');
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
const tell = (line: string): void => void (json ? process.stderr : process.stdout).write(`${line}\n`);

await installSuite();
if (only === undefined || only === 'aggregate') tell(`left out of "all servers": ${LEFT_OUT.scenarios}*, because ${LEFT_OUT.why}`);
const rows: Row[] = [];
for await (const row of (async function* () {
  if (only === undefined || only === 'server') yield* serverRows();
  if (only === undefined || only === 'aggregate') yield* aggregateRows();
  if (only === undefined || only === 'client') yield* clientRows();
  if (only === undefined || only === 'auth') yield* authRows();
  if (only === undefined || only === 'real') yield* realClientRows();
})()) {
  rows.push(row);
  const { suite, path, direct, bursar } = row;
  const counted = ({ passed, total, skipped }: Counts): string => `${passed}/${total}${skipped === 0 ? '' : ` (${skipped} do not apply)`}`;
  tell(`${row.ok ? 'ok  ' : 'FAIL'} ${suite} · ${path}: direct ${counted(direct)}, through Bursar ${counted(bursar)}`);
  for (const difference of row.differences) tell(`       ${difference}`);
}
const ok = rows.length > 0 && rows.every((row) => row.ok);
if (json) console.log(JSON.stringify({ ok, rows }));
process.exitCode = ok ? 0 : 1;
