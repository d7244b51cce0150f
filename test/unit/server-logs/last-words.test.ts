import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/main/bridge/limits.ts';
import { openStdioUpstream } from '../../../src/main/bridge/upstream-stdio.ts';
import { createServerLogs } from '../../../src/main/server-logs/server-logs.ts';
import type { BursarError } from '../../../src/shared/errors/errors.ts';
import { recordingLog } from '../../support/rpc/contract-fakes.ts';

test('I6: an agent reads a secret argument of a server in the words with which it ended', async () => {
  const transport = { kind: 'stdio' as const, command: process.execPath, args: ['-e', 'process.stderr.write("unknown key " + process.argv[2] + "\\n"); process.exitCode = 3', '--', '--api-key', 'arg-secret-1'] };
  const spec = { name: 'files', transport };
  const logs = createServerLogs({ now: () => 1, changed: () => {} });
  const link = logs.opened(spec);
  const ended = Promise.withResolvers<BursarError>();
  const nothing = () => {};
  const upstream = openStdioUpstream({
    spec,
    transport,
    limits: DEFAULT_LIMITS,
    guard: { watch: nothing, forget: nothing, close: nothing },
    log: recordingLog(),
    onStderr: link.stderr,
    events: { onMessage: nothing, onAnswerLost: nothing, onExchangeEnd: nothing, onStreamPaused: nothing, onSessionGone: () => false, onPressure: nothing, onDown: ended.resolve },
  });
  const { message, context } = await ended.promise;
  await upstream.close();
  expect(message).toContain('The last line on its stderr: unknown key');
  expect(JSON.stringify([message, context, logs.lines('files')])).not.toContain('arg-secret-1');
});
