import { address, getPublicKeyFromAddress, verifySignature } from '@solana/kit';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { REGISTERED, type Asset, type Assets } from '../../core/registry/assets.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { DELEGATION_UNITS, type DelegationTerms } from './delegation-terms.ts';
import { requireFacts } from './offer-terms.ts';
import { MEMO_PROGRAM } from './spl-transfer.ts';
import { budgetInstructions, instructionsOf, littleEndian, plainFacts, readWire, registeredAsset, same, sameSet, type PlainInstruction } from './svm-message.ts';

/** SPL Token, `TokenInstruction`: what the data of the two begins with. */
const REVOKE = 5;
const APPROVE_CHECKED = 13;

/**
 * I2 for an approval: reads the bytes that will leave and compares every account and instruction with the terms. One signer, the owner, who
 * pays the fee as well. Throws `PROOF_MISMATCH`.
 */
export async function verifyDelegationSvm(wire: string, terms: DelegationTerms, { memo, blockhash }: { readonly memo: string; readonly blockhash: string }, assets: Assets = REGISTERED): Promise<void> {
  const { transaction, message } = readWire(wire);
  const asset = registeredAsset(terms, assets);
  const wanted = [...budgetInstructions(DELEGATION_UNITS), await wantedInstruction(terms, asset), { program: MEMO_PROGRAM, accounts: [], data: [...utf8ToBytes(memo)] }];
  const others = [...new Set(wanted.flatMap(({ program, accounts }) => [program, ...accounts]))].filter((account): account is string => account !== undefined && account !== terms.owner);
  const found = instructionsOf(message);
  const { header, staticAccounts } = message;
  requireFacts({
    ...plainFacts(message, blockhash),
    'set of signers': header.numSignerAccounts === 1 && header.numReadonlySignerAccounts === 0 && staticAccounts[0] === terms.owner,
    'set of accounts': sameSet(staticAccounts.slice(1), others),
    'number of instructions': found.length === wanted.length,
    delegation: wanted.every((instruction, index) => same(found[index], instruction)),
  });
  const owner = address(terms.owner);
  const signature = transaction.signatures[owner];
  requireFacts({ signature: !!signature && (await verifySignature(await getPublicKeyFromAddress(owner), signature, transaction.messageBytes)) });
}

async function wantedInstruction({ kind, owner, delegate, amount }: DelegationTerms, asset: Asset): Promise<PlainInstruction> {
  const program = tokenProgramOf(asset);
  const source = await tokenAccountOf(owner, asset);
  if (kind === 'revoke') return { program, accounts: [source, owner], data: [REVOKE] };
  return { program, accounts: [source, asset.address, delegate, owner], data: [APPROVE_CHECKED, ...littleEndian(amount, 8), asset.decimals] };
}
