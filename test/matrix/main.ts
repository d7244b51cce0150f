// npm run matrix [-- --own] [-- --json]: every dialect, every rail that it can carry, over stdio and HTTP, bought through a real Bursar from
// the sandbox's seller and, without --own, from servers that others wrote. What each cell has to do stands in test/foreign/matrix.json. Without
// --own, an agent of LangChain buys as well.
import { parseArgs } from 'node:util';
import type { UpstreamTransport } from '../../src/shared/contract/upstreams.ts';
import { buyCell, type Outcome } from './buy.ts';
import { readCells } from './cells.ts';
import { installForeign, startForeignSellers, type ForeignSellers } from './foreign-sellers.ts';
import { openHouse, type House } from './house.ts';
import { buyWithLangchain } from './langchain.ts';
import { matrixReport, tableLine } from './report.ts';

const { values } = parseArgs({ options: { own: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } });
const say = values.json ? () => {} : (line: string) => console.log(line);
const cells = readCells().filter(({ seller }) => !values.own || seller === 'own');
if (!values.own) await installForeign();

/** The sandbox's own seller, on each chain and transport. */
function ownUpstreams({ sandbox }: House): ReadonlyMap<string, UpstreamTransport> {
  const { mcpUrl, stdio } = sandbox.seller;
  const http = (network: string): UpstreamTransport => ({ kind: 'http', url: `${mcpUrl}?networks=${encodeURIComponent(network)}`, headers: {} });
  const known = JSON.parse(stdio.env['SELLER'] ?? '{}') as object;
  const line = (network: string): UpstreamTransport => ({ kind: 'stdio', command: stdio.command, args: [...stdio.args], env: { SELLER: JSON.stringify({ ...known, networks: [network] }) } });
  const [evm, svm] = [sandbox.evm.network, sandbox.solana.network];
  return new Map([
    ['own-http-evm', http(evm)],
    ['own-http-svm', http(svm)],
    ['own-stdio-evm', line(evm)],
    ['own-stdio-svm', line(svm)],
  ]);
}

const house = await openHouse(values.own ? [] : ['127.0.0.1']);
let foreign: ForeignSellers | undefined;
const outcomes: Outcome[] = [];
let langchain: string | undefined;
try {
  foreign = values.own ? undefined : await startForeignSellers(house.sandbox);
  for (const [name, transport] of [...ownUpstreams(house), ...(foreign?.upstreams ?? [])]) await house.addUpstream(name, transport);
  for (const cell of cells) {
    const outcome = await buyCell(house, cell, foreign?.apis ?? {});
    outcomes.push(outcome);
    if (!values.json || outcome.wrong !== '') (values.json ? console.error : say)(tableLine(outcome));
  }
  if (!values.own) {
    langchain = await buyWithLangchain(house).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    (langchain === '' ? say : console.error)(`langchain   ${langchain === '' ? 'bought, and refused as designed' : `FAILED: ${langchain}`}`);
  }
} finally {
  await foreign?.close();
  await house.close();
}
const report = matrixReport(outcomes);
console.log(JSON.stringify({ ...report, ...(langchain !== undefined && { langchain: langchain === '' ? 'ok' : langchain }) }));
process.exit(report.failed === 0 && report.cells > 0 && !langchain ? 0 : 1);
