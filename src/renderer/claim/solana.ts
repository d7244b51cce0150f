import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { base58, base64 } from '@scure/base';
import { BursarError } from '../../shared/errors/errors.ts';
import type { ClaimLink, ClaimToken } from '../../shared/escrow/claim-link.ts';
import { bytesOf, concat, hexOf, littleEndian } from './bytes.ts';

const SYSTEM = '11111111111111111111111111111111';
const SPL_TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

interface AccountUse {
  readonly address: string;
  readonly isSigner?: boolean;
  readonly isWritable?: boolean;
}

interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

/** Checks a wallet's address. Throws `ADDRESS_INVALID`. */
export function checkSolanaAddress(text: string): string {
  const given = text.trim();
  const bytes = decode(given);
  if (bytes?.length !== 32) throw invalid('An address of this network is 32 to 44 letters and digits (base58); this is none.');
  if ([SYSTEM, SPL_TOKEN, TOKEN_2022, ASSOCIATED_TOKEN, COMPUTE_BUDGET, MEMO].includes(given)) throw invalid('This is a program and no wallet. What is sent there is lost.');
  if (!isOnCurve(bytes)) throw invalid('This address belongs to a program and not to a wallet: the money could be lost there. Give the address of your wallet itself.');
  return given;
}

/** True for what owns token accounts and mints. */
export const isTokenProgram = (program: unknown): boolean => program === SPL_TOKEN || program === TOKEN_2022;

export const solanaAddressOf = (secret: string): string => base58.encode(ed25519.getPublicKey(bytesOf(secret)));

/** The account in which a wallet holds a token (Associated Token Account program). */
export function tokenAccountOf(owner: string, { address: mint, tokenProgram = SPL_TOKEN }: Pick<ClaimToken, 'address' | 'tokenProgram'>): string {
  const seeds = concat(base58.decode(owner), base58.decode(tokenProgram), base58.decode(mint));
  for (let bump = 255; bump >= 0; bump -= 1) {
    const found = sha256(concat(seeds, Uint8Array.of(bump), base58.decode(ASSOCIATED_TOKEN), utf8ToBytes('ProgramDerivedAddress')));
    if (!isOnCurve(found)) return base58.encode(found);
  }
  throw invalid('This address has no account for the token.');
}

/** The payload of x402 `exact` on Solana: moves the whole amount to `to`; `feePayer` adds its signature and pays. */
export function signSolanaClaim({ token, units, secret }: ClaimLink, { to, feePayer, blockhash, memo }: { readonly to: string; readonly feePayer: string; readonly blockhash: string; readonly memo: Uint8Array }): object {
  const owner = solanaAddressOf(secret);
  const program = token.tokenProgram ?? SPL_TOKEN;
  const transfer: Instruction = {
    program,
    accounts: [{ address: tokenAccountOf(owner, token), isWritable: true }, { address: token.address }, { address: tokenAccountOf(to, token), isWritable: true }, { address: owner, isSigner: true }],
    data: concat(Uint8Array.of(12), littleEndian(BigInt(units), 8), Uint8Array.of(token.decimals)),
  };
  const note: Instruction = { program: MEMO, accounts: [], data: utf8ToBytes(hexOf(memo)) };
  return { transaction: signed([...budget(program === SPL_TOKEN ? 20_000 : 40_000), transfer, note], { feePayer, blockhash, secret }) };
}

/** A transaction that makes the recipient's token account, paid from what the sender left in escrow for that. Base64. */
export function signTokenAccount({ token, secret }: ClaimLink, { to, blockhash }: { readonly to: string; readonly blockhash: string }): string {
  const payer = solanaAddressOf(secret);
  const create: Instruction = {
    program: ASSOCIATED_TOKEN,
    accounts: [
      { address: payer, isSigner: true, isWritable: true },
      { address: tokenAccountOf(to, token), isWritable: true },
      { address: to },
      { address: token.address },
      { address: SYSTEM },
      { address: token.tokenProgram ?? SPL_TOKEN },
    ],
    data: Uint8Array.of(1),
  };
  return signed([...budget(60_000), create], { feePayer: payer, blockhash, secret });
}

const budget = (units: number): readonly Instruction[] => [
  { program: COMPUTE_BUDGET, accounts: [], data: concat(Uint8Array.of(2), littleEndian(BigInt(units), 4)) },
  { program: COMPUTE_BUDGET, accounts: [], data: concat(Uint8Array.of(3), littleEndian(1n, 8)) },
];

/** A version 0 transaction in its wire form, base64, with the escrow's signature and room for the others. */
function signed(instructions: readonly Instruction[], { feePayer, blockhash, secret }: { feePayer: string; blockhash: string; secret: string }): string {
  const uses = new Map<string, { isSigner: boolean; isWritable: boolean }>([[feePayer, { isSigner: true, isWritable: true }]]);
  for (const { program, accounts } of instructions) {
    for (const { address, isSigner = false, isWritable = false } of [...accounts, { address: program }]) {
      const before = uses.get(address);
      uses.set(address, { isSigner: isSigner || before?.isSigner === true, isWritable: isWritable || before?.isWritable === true });
    }
  }
  const rank = ({ isSigner, isWritable }: { isSigner: boolean; isWritable: boolean }): number => (isSigner ? 0 : 2) + (isWritable ? 0 : 1);
  const [payer, ...others] = [...uses].map(([address, use]) => ({ address, ...use }));
  const keys = [...(payer ? [payer] : []), ...others.toSorted((a, b) => rank(a) - rank(b))];
  const count = (wanted: (key: (typeof keys)[number]) => boolean): number => keys.filter(wanted).length;
  const place = (address: string): number => keys.findIndex((key) => key.address === address);
  const message = concat(
    Uint8Array.of(0x80, count(({ isSigner }) => isSigner), count(({ isSigner, isWritable }) => isSigner && !isWritable), count(({ isSigner, isWritable }) => !isSigner && !isWritable)),
    compact(keys.length),
    ...keys.map(({ address }) => base58.decode(address)),
    base58.decode(blockhash),
    compact(instructions.length),
    ...instructions.map(({ program, accounts, data }) => concat(Uint8Array.of(place(program)), compact(accounts.length), Uint8Array.from(accounts, ({ address }) => place(address)), compact(data.length), data)),
    compact(0),
  );
  const own = solanaAddressOf(secret);
  const signatures = keys.filter(({ isSigner }) => isSigner).map(({ address }) => (address === own ? ed25519.sign(message, bytesOf(secret)) : new Uint8Array(64)));
  return base64.encode(concat(compact(signatures.length), ...signatures, message));
}

/** compact-u16: seven bits a byte. */
const compact = (value: number): Uint8Array => (value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7));

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}

function decode(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

const invalid = (message: string) => new BursarError('ADDRESS_INVALID', message);
