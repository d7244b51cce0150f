import { formatUnits } from '../../src/shared/money/money.ts';
import type { PaidCallRecord, Story } from './story.ts';

export interface Report {
  readonly host: 'headless';
  readonly calls: readonly {
    readonly via: string;
    readonly chain: string;
    readonly tool: string;
    readonly amount: string;
    readonly state: string;
    readonly tx: string;
    readonly payerDelta: string;
    readonly payeeDelta: string;
  }[];
  readonly journalRows: number;
  readonly ok: boolean;
}

/** The story as one object. `ok` only if every call was delivered and both ends of each moved by exactly its amount. */
export function jsonReport({ calls, rows }: Story): Report {
  return {
    host: 'headless',
    calls: calls.map(({ via, tool, payment, payer, payee }) => ({
      via,
      chain: payment.money?.asset.network ?? '',
      tool,
      amount: payment.money?.units ?? '',
      state: payment.status,
      tx: payment.transaction,
      payerDelta: String(payer.after - payer.before),
      payeeDelta: String(payee.after - payee.before),
    })),
    journalRows: rows.length,
    ok: calls.length === 4 && rows.length === calls.length && calls.every(held),
  };
}

function held({ payment, payer, payee, answer }: PaidCallRecord): boolean {
  const amount = BigInt(payment.money?.units ?? '-1');
  return answer !== '' && payment.status === 'delivered' && payment.transaction !== '' && payer.after - payer.before === -amount && payee.after - payee.before === amount;
}

/** The end of the transcript: what the chains say, and the journal. */
export function printStory({ calls, rows }: Story, report: Report, say: (line: string) => void): void {
  const usdc = (units: bigint) => formatUnits(units, 6, 2);
  say('Balances as the chains show them (USDC):');
  for (const { via, tool, payment, payer, payee } of calls) {
    say(`  ${payment.money?.asset.networkName}, ${tool} over ${via}`);
    say(`    payer ${payment.payer}  ${usdc(payer.before)} -> ${usdc(payer.after)}`);
    say(`    payee ${payment.payee}  ${usdc(payee.before)} -> ${usdc(payee.after)}`);
  }
  say('\nJournal, newest first:');
  for (const row of rows) {
    say(`  ${new Date(row.createdAt).toISOString()}  ${row.status}  ${row.money ? usdc(BigInt(row.money.units)) : '-'}  ${row.upstream}/${row.tool}  ${row.transaction}`);
  }
  say(report.ok ? '\nEvery call was paid once, and answered.' : '\nSOMETHING DID NOT HOLD. See the lines above.');
}
