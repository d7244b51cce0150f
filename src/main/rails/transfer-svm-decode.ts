import { address, getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import { REGISTERED, type Assets } from '../../core/registry/assets.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { isCoin } from '../../core/registry/coins.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { requireFacts } from './offer-terms.ts';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM } from './spl-transfer.ts';
import { budgetInstructions, instructionsOf, littleEndian, plainFacts, readWire, registeredAsset, same, sameSet, type PlainInstruction } from './svm-message.ts';

/** What belongs to one signing and not to the terms. */
export interface TransferInstance {
  readonly memo: Uint8Array;
  readonly blockhash: string;
  readonly units: number;
  /** True where the payee's token account is made. */
  readonly create: boolean;
  /** Lamports that the payee is given beside the tokens. */
  readonly reserve?: bigint;
  /** Whose token account pays; the payer's own without it. */
  readonly delegatedFrom?: string;
}

/**
 * I2 for a transfer of one's own on Solana: reads the bytes that will leave and compares every account and instruction with the terms.
 * One signer, who pays the fee as well. Throws `PROOF_MISMATCH`.
 */
export async function verifyTransferSvm(wire: string, terms: Terms, instance: TransferInstance, assets: Assets = REGISTERED): Promise<void> {
  const { transaction, message } = readWire(wire);
  const { transfer, others } = isCoin(terms) ? coinTransfer(terms) : await tokenTransfer(terms, instance, assets);
  const memo: PlainInstruction = { program: MEMO_PROGRAM, accounts: [], data: [...instance.memo] };
  const wanted = [...budgetInstructions(instance.units), ...transfer, memo];
  const found = instructionsOf(message);
  const { header, staticAccounts } = message;
  requireFacts({
    ...plainFacts(message, instance.blockhash),
    'set of signers': header.numSignerAccounts === 1 && header.numReadonlySignerAccounts === 0 && staticAccounts[0] === terms.payer,
    'set of accounts': sameSet(staticAccounts.slice(1), [...others, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]),
    'number of instructions': found.length === wanted.length,
    transfer: wanted.every((instruction, index) => same(found[index], instruction)),
  });
  const signature = transaction.signatures[address(terms.payer)];
  requireFacts({ signature: !!signature && (await verifySignature(await getPublicKeyFromAddress(address(terms.payer)), signature, transaction.messageBytes)) });
}

interface Wanted {
  readonly transfer: readonly PlainInstruction[];
  /** Every account but the payer and the two programs that each transaction names. */
  readonly others: readonly string[];
}

const coinTransfer = ({ payer, payee, amount }: Pick<Terms, 'payer' | 'payee'> & { readonly amount: bigint }): Wanted => ({
  transfer: [{ program: SYSTEM_PROGRAM, accounts: [payer, payee], data: [2, 0, 0, 0, ...littleEndian(amount, 8)] }],
  others: [payee, SYSTEM_PROGRAM],
});

async function tokenTransfer(terms: Terms, { create, reserve = 0n, delegatedFrom }: TransferInstance, assets: Assets): Promise<Wanted> {
  const { payer, payee, asset: mint, amount } = terms;
  const asset = registeredAsset(terms, assets);
  const program = tokenProgramOf(asset);
  const [source, destination] = await Promise.all([tokenAccountOf(delegatedFrom ?? payer, asset), tokenAccountOf(payee, asset)]);
  const transfer = { program, accounts: [source, mint, destination, payer], data: [12, ...littleEndian(amount, 8), asset.decimals] };
  const give = reserve > 0n ? coinTransfer({ payer, payee, amount: reserve }) : { transfer: [], others: [] };
  if (!create) return { transfer: [transfer, ...give.transfer], others: [source, destination, mint, program, ...give.others] };
  const make = { program: ASSOCIATED_TOKEN_PROGRAM, accounts: [payer, destination, payee, mint, SYSTEM_PROGRAM, program], data: [1] };
  return { transfer: [make, transfer, ...give.transfer], others: [source, destination, mint, program, payee, SYSTEM_PROGRAM, ASSOCIATED_TOKEN_PROGRAM] };
}
