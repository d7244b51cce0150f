import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './fixtures.ts';
import { createLedgerMachine, type LedgerRun } from './ledger-machine.ts';

const KILLS = 8;

it('takes a process that was killed while it wrote for somebody who changed the ledger', { timeout: 60_000 }, async () => {
  const path = join(temporaryFolder(), 'bursar.db');
  for (let turn = 0; turn < KILLS; turn += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'ledger-writer.ts'), path], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (lines === 0) expect(JSON.parse(line)).toEqual([]);
      lines += 1;
      // At once, after the first payment, in the middle of many.
      if (lines > turn * 4) child.kill('SIGKILL');
    }
    await exit;
    expect(child.signalCode).toBe('SIGKILL');
  }
});

/** What may happen to a ledger without anybody changing it from outside. */
const STEPS = ['reserve', 'sign', 'settle', 'free', 'cancel', 'deliver', 'allow', 'lock', 'unlock', 'wait', 'restart', 'kill', 'cold'] as const;

it('finds tampering in some ordinary history of payments, kills, restarts and locked times (property)', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(5)), { maxLength: 40 }), async (steps) => {
      const machine = createLedgerMachine();
      let run = await machine.start();
      for (const [step, number] of steps) {
        if (step === 'wait') await machine.clock.advance(number * 1500);
        else if (step === 'unlock') await run.unlock();
        else if (step === 'restart' || step === 'kill' || step === 'cold') {
          if (step === 'restart') await machine.stop();
          else machine.kill();
          run = await machine.start({ cold: step === 'cold' });
        } else attempt(run, step, `p${number}`);
      }
      await machine.stop();
      run = await machine.start();
      expect(await run.findings()).toEqual([]);
      machine.kill();
    }),
    { numRuns: 60 },
  );
});

/** One act; what the schema or the lock refuses is no history, and has to leave the ledger whole as well. */
function attempt(run: LedgerRun, step: Exclude<(typeof STEPS)[number], 'wait' | 'unlock' | 'restart' | 'kill' | 'cold'>, id: string): void {
  try {
    if (step === 'lock' || step === 'allow') run[step]();
    else run[step](id);
  } catch (error) {
    expect(String((error as { code?: string }).code)).not.toBe('LEDGER_TAMPERED');
  }
}
