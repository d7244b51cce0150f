import { cpus, loadavg } from 'node:os';
import { HISTORY_GOALS, HISTORY_OF, measureHistory } from './desktop-history.ts';
import { measureStart, START_RUNS, type StartFigures } from './desktop-start.ts';
import { rounded } from './statistics.ts';

const GOALS = { startMs: 2000, idleRssMB: 120, idleCpuPct: 0.5, ...HISTORY_GOALS };

/**
 * What the owner's machine carries and what they wait for: the start and the rest of a Bursar without the sandbox, as an installed one is,
 * and the history of a long ledger. The same with the sandbox stands beside, and is held to no goal.
 */
export async function desktop(): Promise<{ readonly json: object; readonly text: string; readonly ok: boolean }> {
  const installed = await measureStart('testnet');
  const withSandbox = await measureStart('sandbox');
  const history = await measureHistory();
  const { startMs, idleRssMB, idleCpuPct } = installed;
  const figures = { startMs, idleRssMB, idleCpuPct, ...history };
  const missed = Object.entries(GOALS).filter(([name, goal]) => figures[name as keyof typeof GOALS] > goal).map(([name]) => name);
  const load = rounded(loadavg()[0] ?? 0);
  const line = (name: string, { startMs: start, idleRssMB: rss, idleCpuPct: cpu, others }: StartFigures) =>
    `${name}: start ${start} ms, at rest ${rss} MB and ${cpu} % of a processor${others.length === 0 ? '' : `; beside it ${others.map((other) => `${other.name} ${other.rssMB} MB`).join(', ')}`}`;
  return {
    ok: missed.length === 0,
    json: { ...figures, withSandbox, missed, rows: HISTORY_OF.rows, runs: { start: START_RUNS, history: HISTORY_OF.runs }, load, processors: cpus().length },
    text: [
      `load ${load} on ${cpus().length} processors; starts are medians of ${START_RUNS}, from the command to a dashboard that answers, in a Chromium that runs already`,
      line('without the sandbox', installed),
      line('with the sandbox', withSandbox),
      `goals, without the sandbox: ${GOALS.startMs} ms, ${GOALS.idleRssMB} MB, ${GOALS.idleCpuPct} %`,
      `history of ${HISTORY_OF.rows} payments, medians of ${HISTORY_OF.runs} runs: first page ${history.historyFirstPageMs} ms (goal ${GOALS.historyFirstPageMs}); a frame while scrolling, 95th percentile ${history.scrollP95FrameMs} ms, longest ${history.scrollMaxFrameMs} ms (goal ${GOALS.scrollMaxFrameMs})`,
      missed.length === 0 ? 'every goal is met' : `missed: ${missed.join(', ')}`,
    ].join('\n'),
  };
}
