// npm run demo [-- --json]: the whole story without a hand. A fresh home, an agent over stdio and over HTTP, an owner at a real
// browser, play money on two real chains. Every figure printed is read from the chains or from the journal.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runStory } from './story.ts';
import { jsonReport, printStory } from './report.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const say = values.json ? () => {} : (line: string) => console.log(line);
const story = await runStory(say);
rmSync(story.home, { recursive: true, force: true });
const report = jsonReport(story);
if (values.json) console.log(JSON.stringify(report));
else printStory(story, report, say);
process.exit(report.ok ? 0 : 1);
