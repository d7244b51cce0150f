import { parseArgs } from 'node:util';
import { BursarError, errorText, toErrorInfo } from '../shared/errors/errors.ts';
import { stderrPaymentLog } from './seller/payment/events.ts';
import { startSandbox, type Sandbox, type SandboxAddresses } from './sandbox.ts';

// The sandbox as a process: one JSON line on stdout when it is ready (see SandboxAddresses), everything else on stderr. It ends
// when its stdin does, so that it never outlives the process that started it.
const { values } = parseArgs({
  options: {
    dir: { type: 'string' },
    faults: { type: 'boolean', default: false },
    // The demo seller's payment events on standard error.
    events: { type: 'boolean', default: false },
    'slot-ms': { type: 'string' },
    'evm-interval-seconds': { type: 'string' },
    'seller-entry': { type: 'string' },
  },
});

// Libraries of the facilitator log to the console; stdout belongs to the ready line.
console.log = console.error;
console.info = console.error;
console.warn = console.error;

let ending = false;
let sandbox: Sandbox | undefined;

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  try {
    await sandbox?.close();
  } catch (error) {
    console.error(errorText(toErrorInfo(error)));
  }
  process.exit(code);
}

function fail(error: unknown): void {
  console.error(errorText(toErrorInfo(error)));
  void end(1);
}

function readyLine({ evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken }: SandboxAddresses): string {
  return JSON.stringify({ evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken } satisfies SandboxAddresses);
}

function whole(flag: 'slot-ms' | 'evm-interval-seconds'): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new BursarError('INPUT_INVALID', `--${flag} takes a whole number above 0.`);
  return Number(text);
}

process.stdin.resume();
process.stdin.once('close', () => void end(0));
process.stdin.once('error', () => void end(0));
process.once('SIGTERM', () => void end(0));
process.once('SIGINT', () => void end(0));
process.once('uncaughtException', fail);
process.once('unhandledRejection', fail);

try {
  const slotMs = whole('slot-ms');
  const evmIntervalSeconds = whole('evm-interval-seconds');
  const started = await startSandbox({
    faults: values.faults,
    ...(values.events && { paymentLog: stderrPaymentLog }),
    ...(values.dir !== undefined && { dir: values.dir }),
    ...(slotMs !== undefined && { slotMs }),
    ...(evmIntervalSeconds !== undefined && { evmIntervalSeconds }),
    ...(values['seller-entry'] !== undefined && { sellerEntry: values['seller-entry'] }),
  });
  sandbox = started;
  void started.anvilExited.then(() => (ending ? undefined : fail(new Error('anvil ended unexpectedly'))));
  process.stdout.write(`${readyLine(started)}\n`);
} catch (error) {
  fail(error);
}
