// npm run demo [-- --json]: the whole story without a hand. A fresh home, an agent over stdio and over HTTP, an owner at a real
// browser, play money on two real chains. Every figure printed is read from the chains or from the journal.
// With --wallet: keys, sends, links that people claim, limits on the chain, access and discovery, each step checked on the chains.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runStory } from './story.ts';
import { jsonReport, printStory } from './report.ts';
import { runWalletStory } from './wallet/story.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false }, wallet: { type: 'boolean', default: false } } });
const say = values.json ? () => {} : (line: string) => console.log(line);

async function tell(): Promise<{ readonly ok: boolean }> {
  if (values.wallet) return runWalletStory(say);
  const story = await runStory(say);
  rmSync(story.home, { recursive: true, force: true });
  const told = jsonReport(story);
  if (!values.json) printStory(story, told, say);
  return told;
}

const report = await tell();
if (values.json) console.log(JSON.stringify(report));
process.exit(report.ok ? 0 : 1);
