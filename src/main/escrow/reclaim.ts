import { setTimeout as wait } from 'node:timers/promises';
import { AccountRole, address, createNoopSigner, getBase64Decoder, type Instruction } from '@solana/kit';
import { getCloseAccountInstruction } from '@solana-program/token';
import type { Account, Keys } from '../../core/ports.ts';
import type { Asset } from '../../core/registry/assets.ts';
import type { Chains } from '../adapters/chain/chains.ts';
import { tokenAccountOf, tokenProgramOf } from '../adapters/chain/token-account.ts';
import { requireFacts } from '../rails/offer-terms.ts';
import { SYSTEM_PROGRAM } from '../rails/spl-transfer.ts';
import { budgetInstructions, instructionsOf, littleEndian, plainFacts, readWire, same } from '../rails/svm-message.ts';
import { compileSvm, signSvm, type BlockhashLifetime } from '../rails/svm-transaction.ts';

const UNITS = 20_000;
const WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 400;

export interface Reclaim {
  readonly asset: Asset;
  /** The escrow, emptied for good. */
  readonly account: Account;
  /** The account that paid. */
  readonly to: string;
}

/**
 * Solana: gives what an emptied escrow holds as rent, and what is left of its reserve, back to the account that paid. True once nothing is left that could be
 * given back. The bytes are not journaled: it is coin on its way to its owner, and a second try finds nothing. Throws what reading and signing do.
 */
export async function reclaim(chains: Pick<Chains, 'latestBlockhash' | 'sendSolana' | 'solanaAccounts'>, { asset, account, to }: Reclaim, keys: Keys, signal: AbortSignal): Promise<boolean> {
  const { network } = asset;
  const { solanaAccounts: accounts } = chains;
  const tokenAccount = await tokenAccountOf(account.address, asset);
  const lamports = await accounts.lamports(network, account.address, signal);
  const isThere = (await accounts.programOf(network, tokenAccount, signal)) !== undefined;
  // Somebody may have sent tokens to it since, and an account that holds any cannot be closed.
  const close = isThere && (await accounts.spendable(network, { tokenAccount, by: account.address }, signal)) === 0n;
  const lifetime = await chains.latestBlockhash(network, signal);
  const draft = { account, to, close: close ? { tokenAccount, program: tokenProgramOf(asset) } : undefined };
  const fee = await accounts.fee(network, getBase64Decoder().decode(compile(draft, 0n, lifetime).messageBytes), signal);
  if (lamports < fee || (lamports === fee && !close)) return true;

  const rest = lamports - fee;
  const { wire } = await signSvm(keys, account, compile(draft, rest, lifetime));
  requireReturn(wire, draft, { rest, blockhash: lifetime.blockhash });
  await chains.sendSolana(network, wire, signal);
  for (const until = performance.now() + WITHIN_MS; performance.now() < until && !signal.aborted; ) {
    if ((await accounts.lamports(network, account.address, signal)) === 0n) return true;
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return false;
}

interface Draft {
  readonly account: Account;
  readonly to: string;
  readonly close: { readonly tokenAccount: string; readonly program: string } | undefined;
}

function compile({ account, to, close }: Draft, rest: bigint, lifetime: BlockhashLifetime) {
  const transfer: Instruction = {
    programAddress: address(SYSTEM_PROGRAM),
    accounts: [
      { address: address(account.address), role: AccountRole.WRITABLE_SIGNER },
      { address: address(to), role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from([2, 0, 0, 0, ...littleEndian(rest, 8)]),
  };
  const closing = close && getCloseAccountInstruction({ account: address(close.tokenAccount), destination: address(to), owner: createNoopSigner(address(account.address)) }, { programAddress: address(close.program) });
  return compileSvm({ feePayer: address(account.address), units: UNITS, lifetime, instructions: [...(closing ? [closing] : []), transfer] });
}

/** I2: the transaction can do nothing but give all of it to the account that paid. Throws `PROOF_MISMATCH`. */
function requireReturn(wire: string, { account, to, close }: Draft, { rest, blockhash }: { rest: bigint; blockhash: string }): void {
  const { message } = readWire(wire);
  const wanted = [
    ...budgetInstructions(UNITS),
    ...(close ? [{ program: close.program, accounts: [close.tokenAccount, to, account.address], data: [9] }] : []),
    { program: SYSTEM_PROGRAM, accounts: [account.address, to], data: [2, 0, 0, 0, ...littleEndian(rest, 8)] },
  ];
  const found = instructionsOf(message);
  requireFacts({
    ...plainFacts(message, blockhash),
    'set of signers': message.header.numSignerAccounts === 1 && message.staticAccounts[0] === account.address,
    'number of instructions': found.length === wanted.length,
    instructions: wanted.every((instruction, index) => same(found[index], instruction)),
  });
}
