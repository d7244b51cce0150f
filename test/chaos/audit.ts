import { evmTransfers, signaturesOf, solanaTransfers, type Transfer } from './chain-transfers.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SeenProof } from './director.ts';
import { isAtRest, readLedger, type Ledger, type LedgerRow } from './ledger-file.ts';
import { CALL_LIMIT, SCARCE_LIMIT } from './plan.ts';

export interface HouseToAudit {
  readonly number: number;
  readonly home: string;
  readonly accounts: Readonly<Record<'eip155' | 'solana', string>>;
  /** Today's spending as the contract says it, in base units. */
  readonly todayUnits: bigint;
  readonly dayLimit: bigint;
}

export interface AuditOptions {
  readonly sandbox: Sandbox;
  readonly houses: readonly HouseToAudit[];
  readonly proofs: readonly SeenProof[];
  /** When the EVM's time was moved ahead of ours (ms): before that, nothing that we still call valid can have expired there. */
  readonly evmMovedAt: number;
}

export interface Audit {
  readonly transfers: number;
  readonly settledCalls: number;
  readonly delivered: number;
  readonly double: number;
  readonly lost: number;
  readonly unknownLeft: number;
  readonly budgetBreaches: number;
  readonly ledgerMinusChain: bigint;
  /** What does not hold, in words. */
  readonly problems: readonly string[];
}

/** Compares the ledgers, read from their files, with both chains. Nothing here uses the application's own code or counters. */
export async function audit({ sandbox, houses, proofs, evmMovedAt }: AuditOptions): Promise<Audit> {
  const audits = await Promise.all(
    houses.map(async (house) => {
      const transfers = [...(await evmTransfers(sandbox, house.accounts.eip155)), ...(await solanaTransfers(sandbox, house.accounts.solana))];
      return auditHouse({ house, ledger: readLedger(house.home), transfers, proofs: proofs.filter((proof) => proof.house === house.number), evmMovedAt });
    }),
  );
  const sum = (figure: (one: Audit) => number): number => audits.reduce((total, one) => total + figure(one), 0);
  return {
    transfers: sum((one) => one.transfers),
    settledCalls: sum((one) => one.settledCalls),
    delivered: sum((one) => one.delivered),
    double: sum((one) => one.double),
    lost: sum((one) => one.lost),
    unknownLeft: sum((one) => one.unknownLeft),
    budgetBreaches: sum((one) => one.budgetBreaches),
    ledgerMinusChain: audits.reduce((total, one) => total + one.ledgerMinusChain, 0n),
    problems: audits.flatMap((one) => one.problems),
  };
}

interface Evidence extends Pick<AuditOptions, 'proofs' | 'evmMovedAt'> {
  readonly house: HouseToAudit;
  readonly ledger: Ledger;
  readonly transfers: readonly Transfer[];
}

function auditHouse({ house, ledger, transfers, proofs, evmMovedAt }: Evidence): Audit {
  const problems: string[] = [];
  const report = (kind: string, what: string): number => problems.push(`house ${house.number}: ${kind}: ${what}`) && 1;
  const { rows } = ledger;
  const markOf = (row: LedgerRow): string | undefined => marksOfTrack(row.track);
  const byMark = new Map(rows.flatMap((row) => (markOf(row) ? [[markOf(row)!, row] as const] : [])));

  let double = 0;
  let lost = 0;
  const transfersOf = new Map<string, Transfer[]>();
  for (const transfer of transfers) {
    const row = transfer.marks.map((mark) => byMark.get(mark)).find((found) => found !== undefined);
    if (!row) {
      lost += report('lost', `the transfer ${transfer.transaction} has no row`);
      continue;
    }
    transfersOf.set(row.id, [...(transfersOf.get(row.id) ?? []), transfer]);
    const { amount, payee, network } = row;
    if (BigInt(amount ?? -1) !== transfer.units || payee !== transfer.to || network !== transfer.network) lost += report('lost', `the transfer ${transfer.transaction} is not what row ${row.id} says`);
  }
  for (const row of rows) {
    const count = transfersOf.get(row.id)?.length ?? 0;
    if (count > 1) double += report('double', `${count} transfers for row ${row.id}`);
    if (row.money === 'settled' && count === 0) lost += report('lost', `row ${row.id} is settled without a transfer`);
    if (row.money !== 'settled' && count > 0) lost += report('lost', `row ${row.id} is ${row.money}, and its money moved`);
    if (row.money === 'settled' && count > 0 && transfersOf.get(row.id)?.[0]?.transaction !== row.transaction_id) lost += report('lost', `row ${row.id} names another transaction`);
  }
  double += secondPayments(ledger, transfersOf).reduce((total, what) => total + report('double', what), 0);
  for (const { call, payload } of proofs) {
    if (!marksOfProof(payload).some((mark) => byMark.has(mark))) lost += report('lost', `a proof for call ${call} left the application without a row (I4)`);
  }

  const unknownLeft = rows.filter((row) => !isAtRest(row)).reduce((total, row) => total + report('unknown', `row ${row.id} (${row.arguments_text}) is ${row.decision}/${row.money}/${row.service}: ${row.reason_text}`), 0);
  for (const row of rows) if (isFailed(row) && row.reason_code === '' && row.money !== 'settled') lost += report('lost', `row ${row.id} ended ${row.decision}/${row.money}/${row.service} without a reason (I9)`);

  for (const row of rows) {
    const { validBefore } = JSON.parse(row.track ?? '{}') as { validBefore?: string };
    const deadAt = ledger.deadAt.get(row.id);
    if (validBefore !== undefined && deadAt !== undefined && deadAt < Math.min(Number(validBefore) * 1000, evmMovedAt)) lost += report('lost', `row ${row.id} was called dead while it could still settle (I5)`);
  }

  const ledgerSum = rows.filter(({ money }) => money === 'settled').reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n);
  const chainSum = transfers.reduce((total, { units }) => total + units, 0n);
  const budgetBreaches = breaches(house, ledger, transfersOf).reduce((total, what) => total + report('budget', what), 0);
  if (house.todayUnits !== chainSum) lost += report('lost', `the contract says ${house.todayUnits} spent today, the chains say ${chainSum}`);
  for (const { id, money, amount } of rows) {
    const due = money === 'none' || money === 'dead' ? undefined : BigInt(amount ?? 0);
    if (ledger.held.get(id) !== due) lost += report('lost', `row ${id} (${money}) holds ${ledger.held.get(id)} of budgets, not ${due} (I3)`);
  }
  if (ledger.integrity !== 'ok') lost += report('lost', `the file is damaged: ${ledger.integrity}`);

  const paidCalls = new Set(rows.filter((row) => transfersOf.has(row.id)).map((row) => row.arguments_text));
  const delivered = new Set(rows.filter((row) => row.service === 'delivered').map((row) => row.arguments_text));
  return { transfers: transfers.length, settledCalls: paidCalls.size, delivered: delivered.size, double, lost, unknownLeft, budgetBreaches, ledgerMinusChain: ledgerSum - chainSum, problems };
}

/** Agents here want each thing once: a second payment for the same call is right only if the first was delivered, or could no longer settle, before it was signed. */
function secondPayments({ rows, signedAt, deliveredAt }: Ledger, transfersOf: ReadonlyMap<string, readonly Transfer[]>): string[] {
  return rows.flatMap((row) => {
    const signed = signedAt.get(row.id);
    if (signed === undefined || !transfersOf.has(row.id)) return [];
    return rows
      .filter((earlier) => earlier.seq < row.seq && earlier.call_key === row.call_key && transfersOf.has(earlier.id))
      .filter((earlier) => (deliveredAt.get(earlier.id) ?? Infinity) > signed)
      .map((earlier) => `row ${row.id} pays again what row ${earlier.id} paid and did not deliver before`);
  });
}

/** Caps against the chains: each transfer, and at every signing all that had moved or still could (I3). */
function breaches({ dayLimit }: HouseToAudit, { rows, signedAt, deadAt }: Ledger, transfersOf: ReadonlyMap<string, readonly Transfer[]>): string[] {
  const found: string[] = [];
  for (const [id, transfers] of transfersOf) {
    for (const { units } of transfers) if (units > CALL_LIMIT) found.push(`row ${id} moved ${units}, more than a call may cost`);
  }
  const limits: readonly { readonly name: string; readonly limit: bigint; readonly counts: (row: LedgerRow) => boolean }[] = [
    { name: 'the day', limit: dayLimit, counts: () => true },
    { name: 'scarce', limit: SCARCE_LIMIT, counts: ({ upstream }) => upstream === 'scarce' },
  ];
  for (const { name, limit, counts } of limits) {
    const signed = rows.filter((row) => counts(row) && signedAt.has(row.id));
    for (const row of signed) {
      const at = signedAt.get(row.id)!;
      const held = signed.filter((other) => signedAt.get(other.id)! <= at && (transfersOf.has(other.id) || (deadAt.get(other.id) ?? Infinity) > at));
      const sum = held.reduce((total, { amount }) => total + BigInt(amount ?? 0), 0n);
      if (sum > limit) found.push(`${sum} was moved or could move when row ${row.id} was signed; ${name} allows ${limit}`);
    }
  }
  return found;
}

const isFailed = ({ service }: LedgerRow): boolean => service !== 'delivered';

function marksOfTrack(track: string | null): string | undefined {
  const { nonce, signature } = JSON.parse(track ?? '{}') as { nonce?: string; signature?: string };
  return nonce ?? signature;
}

function marksOfProof(payload: SeenProof['payload']): string[] {
  const { authorization, transaction, signature } = payload as { authorization?: { nonce: string }; transaction?: string; signature?: string };
  if (authorization) return [authorization.nonce];
  return transaction === undefined ? [signature ?? ''] : signaturesOf(transaction);
}
