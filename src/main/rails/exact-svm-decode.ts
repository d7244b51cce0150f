import {
  address,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  getTransactionEncoder,
  verifySignature,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  type Transaction,
} from '@solana/kit';
import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson } from '../../core/json/json.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { REGISTERED, type Assets } from '../../core/registry/assets.ts';
import { requireFacts } from './offer-terms.ts';
import { COMPUTE_BUDGET_PROGRAM, COMPUTE_UNIT_LIMIT, COMPUTE_UNIT_PRICE, MEMO_PROGRAM, TOKEN_PROGRAM } from './spl-transfer.ts';
import { tokenAccountOf } from './token-account.ts';

/** What belongs to one signing and not to the terms. */
export interface SvmInstance {
  readonly feePayer: string;
  readonly memo: Uint8Array;
  readonly blockhash: string;
}

/**
 * I2 for Solana: reads the text that will leave and compares every account, role, instruction and byte of it with the terms. Nothing
 * may be in the transaction but the four instructions of the scheme. Throws `PROOF_MISMATCH`.
 */
export async function verifyExactSvm(payloadText: string, terms: Terms, instance: SvmInstance, assets: Assets = REGISTERED): Promise<void> {
  const { transaction, message } = readTransaction(payloadText);
  const { payer, payee, asset: mint, amount } = terms;
  const asset = assets.find(terms.network, mint);
  const [source, destination] = await Promise.all([tokenAccountOf(payer, mint), tokenAccountOf(payee, mint)]);

  requireFacts({
    version: message.version === 0,
    'address table': message.version === 0 && (message.addressTableLookups ?? []).length === 0,
    blockhash: message.lifetimeToken === instance.blockhash,
  });
  requireFacts(rolesAsExpected(message, { feePayer: instance.feePayer, payer, source, destination, mint }));

  const [limit, price, transfer, memo, ...more] = instructionsOf(message);
  requireFacts({
    'number of instructions': more.length === 0,
    'compute unit limit': same(limit, { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: [2, ...littleEndian(BigInt(COMPUTE_UNIT_LIMIT), 4)] }),
    'compute unit price': same(price, { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: [3, ...littleEndian(COMPUTE_UNIT_PRICE, 8)] }),
    'transfer program': transfer?.program === TOKEN_PROGRAM,
    payer: transfer?.accounts[0] === source && transfer.accounts[3] === payer,
    asset: asset !== undefined && transfer?.accounts[1] === mint,
    payee: transfer?.accounts[2] === destination,
    amount: same(transfer, { program: TOKEN_PROGRAM, accounts: [source, mint, destination, payer], data: [12, ...littleEndian(amount, 8), asset?.decimals ?? -1] }),
    memo: same(memo, { program: MEMO_PROGRAM, accounts: [], data: [...instance.memo] }),
  });

  const signature = transaction.signatures[address(payer)];
  requireFacts({
    'fee payer signature': transaction.signatures[address(instance.feePayer)] === null,
    signature: !!signature && (await verifySignature(await getPublicKeyFromAddress(address(payer)), signature, transaction.messageBytes)),
  });
}

type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;
interface PlainInstruction {
  readonly program: string | undefined;
  readonly accounts: readonly (string | undefined)[];
  readonly data: readonly number[];
}

function readTransaction(payloadText: string): { transaction: Transaction; message: Message } {
  try {
    const payload = parseJson(payloadText);
    const wire = isObject(payload) && payload.size === 1 ? payload.get('transaction') : undefined;
    if (typeof wire !== 'string') throw new Error('no transaction');
    const bytes = getBase64Encoder().encode(wire);
    const transaction = getTransactionDecoder().decode(bytes);
    // One writing only: bytes that a decoder skips must not leave.
    if (Buffer.from(getTransactionEncoder().encode(transaction)).toString('base64') !== wire) throw new Error('not canonical');
    return { transaction, message: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) };
  } catch (cause) {
    throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is not a transaction.', { cause });
  }
}

/** Accounts come in the order: writable signers, other signers, writable accounts, others. Nobody but these may be among them. */
function rolesAsExpected(message: Message, parties: { feePayer: string; payer: string; source: string; destination: string; mint: string }) {
  const { header, staticAccounts } = message;
  const writable = staticAccounts.slice(2, 4);
  const readable = staticAccounts.slice(4);
  return {
    'fee payer': staticAccounts[0] === parties.feePayer,
    'set of signers': header.numSignerAccounts === 2 && header.numReadonlySignerAccounts === 1 && staticAccounts[1] === parties.payer,
    'set of accounts':
      header.numReadonlyNonSignerAccounts === readable.length &&
      sameSet(writable, [parties.source, parties.destination]) &&
      sameSet(readable, [parties.mint, TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]),
  };
}

function instructionsOf(message: Message): PlainInstruction[] {
  if (message.version === 1) throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is a transaction of an unknown version.');
  const at = (index: number): string | undefined => message.staticAccounts[index];
  return message.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
    program: at(programAddressIndex),
    accounts: accountIndices.map(at),
    data: [...data],
  }));
}

const same = (found: PlainInstruction | undefined, wanted: PlainInstruction): boolean => JSON.stringify(found) === JSON.stringify(wanted);

const sameSet = (found: readonly string[], wanted: readonly string[]): boolean => found.length === wanted.length && new Set([...found, ...wanted]).size === wanted.length;

const littleEndian = (value: bigint, length: number): number[] => Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
