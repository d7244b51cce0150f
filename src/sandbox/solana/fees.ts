import { bytesOf, instructionsOf, type Message } from './message.ts';

const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
const LAMPORTS_PER_SIGNATURE = 5_000n;
const DEFAULT_COMPUTE_UNITS = 200_000n;
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

/** A transaction's fee in lamports: 5,000 for each signature, and the priority fee (price in micro-lamports per unit, rounded up). */
export function feeOf(message: Message): bigint {
  let price = 0n;
  let units = DEFAULT_COMPUTE_UNITS;
  for (const instruction of instructionsOf(message)) {
    if (message.staticAccounts[instruction.programAddressIndex] !== COMPUTE_BUDGET_PROGRAM) continue;
    const data = bytesOf(instruction);
    if (data[0] === SET_COMPUTE_UNIT_LIMIT && data.length >= 5) units = BigInt(data.readUInt32LE(1));
    if (data[0] === SET_COMPUTE_UNIT_PRICE && data.length >= 9) price = data.readBigUInt64LE(1);
  }
  return LAMPORTS_PER_SIGNATURE * BigInt(message.header.numSignerAccounts) + (price * units + 999_999n) / 1_000_000n;
}
