import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getMintEncoder,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { randomUUID } from 'node:crypto';
import { BursarError } from '../../shared/errors/errors.ts';
import { SOLANA_USDC } from '../networks.ts';
import type { Bank } from './bank.ts';
import { MEMO_PROGRAM } from './encode-transaction.ts';
import { describeError } from './transaction-error.ts';

const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
const USDC = address(SOLANA_USDC);
const USDC_DECIMALS = 6;
const SYSTEM_TRANSFER = 2;
const FAUCET_LAMPORTS = 1_000_000_000_000_000n;

/** Gives play money by ordinary transactions, so that the history explains every balance. */
export interface Faucet {
  readonly address: string;
  /** Transfers lamports; returns the transaction's signature. */
  airdrop(to: string, amount: bigint): Promise<string>;
  /** Creates the owner's USDC account where it does not exist, and mints base units into it; returns the signature. */
  mintUsdc(owner: string, amount: bigint): Promise<string>;
}

/** The token account of `owner` for the sandbox's USDC. */
export async function usdcAccountOf(owner: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: USDC, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return account;
}

/** The faucet of a bank, whose key is `privateKey`. On a new bank it places the USDC mint and endows itself. */
export async function openFaucet(bank: Bank, privateKey: Uint8Array): Promise<Faucet> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(privateKey);
  if (!bank.account(USDC)) placeMint(bank, signer);
  return {
    address: signer.address,
    airdrop: (to, amount) => send(bank, signer, [systemTransfer(signer, to, amount)]),
    mintUsdc: async (owner, amount) => {
      const recipient = { owner: address(owner), mint: USDC };
      const token = await usdcAccountOf(owner);
      return send(bank, signer, [
        await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: signer, ...recipient }),
        getMintToInstruction({ mint: USDC, token, mintAuthority: signer, amount }),
      ]);
    },
  };
}

function placeMint(bank: Bank, { address: authority }: KeyPairSigner): void {
  const data = getMintEncoder().encode({ mintAuthority: authority, supply: 0n, decimals: USDC_DECIMALS, isInitialized: true, freezeAuthority: authority });
  const space = BigInt(data.length);
  const rent = lamports(bank.svm.minimumBalanceForRentExemption(space));
  bank.svm.setAccount({ address: USDC, programAddress: TOKEN_PROGRAM_ADDRESS, data, executable: false, space, lamports: rent });
  const empty = { programAddress: SYSTEM_PROGRAM, data: new Uint8Array(), executable: false, space: 0n };
  bank.svm.setAccount({ address: authority, ...empty, lamports: lamports(FAUCET_LAMPORTS) });
}

function systemTransfer(from: KeyPairSigner, to: string, amount: bigint): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(SYSTEM_TRANSFER, 0);
  data.writeBigUInt64LE(amount, 4);
  const accounts = [
    { address: from.address, role: AccountRole.WRITABLE_SIGNER, signer: from },
    { address: address(to), role: AccountRole.WRITABLE },
  ];
  return { programAddress: SYSTEM_PROGRAM, accounts, data: new Uint8Array(data) };
}

async function send(bank: Bank, signer: KeyPairSigner, instructions: readonly Instruction[]): Promise<string> {
  const lifetime = bank.latestBlockhash('confirmed');
  // Two equal gifts within one slot would be the same transaction: the memo tells them apart.
  const memo: Instruction = { programAddress: address(MEMO_PROGRAM), accounts: [], data: new TextEncoder().encode(randomUUID()) };
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(signer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...instructions, memo], message),
    ),
  );
  const outcome = bank.submit(transaction);
  const err = outcome.kind === 'landed' ? outcome.transaction.err : outcome.err;
  if (err !== null || outcome.kind !== 'landed') throw new BursarError('INTERNAL', `The sandbox's faucet failed: ${describeError(err ?? 'Unknown')}.`);
  return outcome.transaction.signature;
}
