import { address, getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson } from '../../core/json/json.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { REGISTERED, type Assets } from '../../core/registry/assets.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { requireFacts } from './offer-terms.ts';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, transferUnits } from './spl-transfer.ts';
import { budgetInstructions, instructionsOf, littleEndian, plainFacts, readWire, registeredAsset, same, sameSet, type SvmMessage } from './svm-message.ts';

/** What belongs to one signing and not to the terms. */
export interface SvmInstance {
  readonly feePayer: string;
  readonly memo: Uint8Array;
  readonly blockhash: string;
  /** Whose token account pays; the payer's own without it. */
  readonly delegatedFrom?: string;
}

/**
 * I2 for Solana: reads the text that will leave and compares every account, role, instruction and byte of it with the terms. Nothing
 * may be in the transaction but the four instructions of the scheme. Throws `PROOF_MISMATCH`.
 */
export async function verifyExactSvm(payloadText: string, terms: Terms, instance: SvmInstance, assets: Assets = REGISTERED): Promise<void> {
  const { transaction, message } = readWire(wireOf(payloadText));
  const { payer, payee, asset: mint, amount } = terms;
  const asset = registeredAsset(terms, assets);
  const tokenProgram = tokenProgramOf(asset);
  const [source, destination] = await Promise.all([tokenAccountOf(instance.delegatedFrom ?? payer, asset), tokenAccountOf(payee, asset)]);

  requireFacts(plainFacts(message, instance.blockhash));
  requireFacts(rolesAsExpected(message, { feePayer: instance.feePayer, payer, source, destination, mint, tokenProgram }));

  const [limit, price, transfer, memo, ...more] = instructionsOf(message);
  const [wantedLimit, wantedPrice] = budgetInstructions(transferUnits(asset));
  requireFacts({
    'number of instructions': more.length === 0,
    'compute unit limit': same(limit, wantedLimit),
    'compute unit price': same(price, wantedPrice),
    'transfer program': transfer?.program === tokenProgram,
    payer: transfer?.accounts[0] === source && transfer.accounts[3] === payer,
    asset: transfer?.accounts[1] === mint,
    payee: transfer?.accounts[2] === destination,
    amount: same(transfer, { program: tokenProgram, accounts: [source, mint, destination, payer], data: [12, ...littleEndian(amount, 8), asset.decimals] }),
    memo: same(memo, { program: MEMO_PROGRAM, accounts: [], data: [...instance.memo] }),
  });

  const signature = transaction.signatures[address(payer)];
  requireFacts({
    'fee payer signature': transaction.signatures[address(instance.feePayer)] === null,
    signature: !!signature && (await verifySignature(await getPublicKeyFromAddress(address(payer)), signature, transaction.messageBytes)),
  });
}

function wireOf(payloadText: string): string {
  try {
    const payload = parseJson(payloadText);
    const wire = isObject(payload) && payload.size === 1 ? payload.get('transaction') : undefined;
    if (typeof wire === 'string') return wire;
  } catch (cause) {
    throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is not JSON.', { cause });
  }
  throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is not a transaction.');
}

/** Accounts come in the order: writable signers, other signers, writable accounts, others. Nobody but these may be among them. */
function rolesAsExpected(message: SvmMessage, parties: { feePayer: string; payer: string; source: string; destination: string; mint: string; tokenProgram: string }) {
  const { header, staticAccounts } = message;
  const writable = staticAccounts.slice(2, 4);
  const readable = staticAccounts.slice(4);
  return {
    'fee payer': staticAccounts[0] === parties.feePayer,
    'set of signers': header.numSignerAccounts === 2 && header.numReadonlySignerAccounts === 1 && staticAccounts[1] === parties.payer,
    'set of accounts':
      header.numReadonlyNonSignerAccounts === readable.length &&
      sameSet(writable, [parties.source, parties.destination]) &&
      sameSet(readable, [parties.mint, parties.tokenProgram, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM]),
  };
}
