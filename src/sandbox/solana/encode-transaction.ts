import { getBase58Decoder } from '@solana/kit';
import type { LandedTransaction } from './bank.ts';
import { bytesOf, decodeMessage, decodeWire, instructionsOf, type CompiledInstruction, type Message } from './message.ts';
import { RpcError } from './rpc-error.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, uiTokenAmount } from './token-accounts.ts';

/** The memo program that litesvm and the x402 facilitator know. */
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

const TRANSFER = 3;
const TRANSFER_CHECKED = 12;
const UNSUPPORTED_VERSION = -32015;

/** A landed transaction as `getTransaction` shows it, in `json`, `jsonParsed`, `base64` or `base58`. Throws {@link RpcError}. */
export function encodeTransaction(landed: LandedTransaction, encoding: string, maxVersion: number | undefined): object {
  const transaction = decodeWire(landed.wire);
  const message = decodeMessage(transaction);
  if (message.version !== 'legacy' && (maxVersion === undefined || message.version > maxVersion)) {
    const text = `Transaction version (${message.version}) is not supported by the requesting client.`;
    throw new RpcError(UNSUPPORTED_VERSION, `${text} Please try the request again with "maxSupportedTransactionVersion": ${message.version}`);
  }
  const signatures = Object.values(transaction.signatures).map((bytes) => getBase58Decoder().decode(bytes ?? new Uint8Array(64)));
  return {
    slot: BigInt(landed.slot),
    blockTime: landed.blockTime,
    version: message.version,
    meta: metaOf(landed),
    transaction: wireForm(landed.wire, encoding) ?? { signatures, message: messageForm(message, encoding === 'jsonParsed') },
  };
}

/** Of landed transactions: one question about an address asks for those of a thousand. */
const memos = new WeakMap<LandedTransaction, string | null>();

/** The text of a transaction's memos as `getSignaturesForAddress` shows it, null where it has none. */
export function memoOf(landed: LandedTransaction): string | null {
  const known = memos.get(landed);
  if (known !== undefined) return known;
  const memo = readMemo(landed);
  memos.set(landed, memo);
  return memo;
}

function readMemo(landed: LandedTransaction): string | null {
  const message = decodeMessage(decodeWire(landed.wire));
  const found = instructionsOf(message).filter(({ programAddressIndex }) => message.staticAccounts[programAddressIndex] === MEMO_PROGRAM);
  if (found.length === 0) return null;
  return found.map((memo) => `[${bytesOf(memo).length}] ${bytesOf(memo).toString('utf8')}`).join('; ');
}

function metaOf(landed: LandedTransaction): object {
  const { signature: _signature, slot: _slot, blockTime: _blockTime, wire: _wire, ...meta } = landed;
  return {
    ...meta,
    status: meta.err === null ? { Ok: null } : { Err: meta.err },
    loadedAddresses: { readonly: [], writable: [] },
    rewards: [],
  };
}

function wireForm(wire: string, encoding: string): [string, string] | undefined {
  if (encoding === 'base64') return [wire, 'base64'];
  return encoding === 'base58' ? [getBase58Decoder().decode(Buffer.from(wire, 'base64')), 'base58'] : undefined;
}

function messageForm(message: Message, parsed: boolean): object {
  const { header, staticAccounts, lifetimeToken: recentBlockhash } = message;
  const lookups = message.version === 'legacy' ? {} : { addressTableLookups: [] };
  const signers = header.numSignerAccounts;
  if (!parsed) {
    const instructions = instructionsOf(message).map((instruction) => ({
      programIdIndex: instruction.programAddressIndex,
      accounts: instruction.accountIndices ?? [],
      data: getBase58Decoder().decode(bytesOf(instruction)),
      stackHeight: 1,
    }));
    const rpcHeader = {
      numRequiredSignatures: signers,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    };
    return { header: rpcHeader, accountKeys: staticAccounts, recentBlockhash, instructions, ...lookups };
  }
  const accountKeys = staticAccounts.map((pubkey, index) => ({
    pubkey,
    signer: index < signers,
    source: 'transaction',
    writable:
      index < signers - header.numReadonlySignerAccounts ||
      (index >= signers && index < staticAccounts.length - header.numReadonlyNonSignerAccounts),
  }));
  const instructions = instructionsOf(message).map((instruction) => parseInstruction(instruction, staticAccounts));
  return { accountKeys, recentBlockhash, instructions, ...lookups };
}

function parseInstruction(instruction: CompiledInstruction, addresses: readonly string[]): object {
  const programId = addresses[instruction.programAddressIndex] ?? '';
  const accounts = (instruction.accountIndices ?? []).map((index) => addresses[index] ?? '');
  const data = bytesOf(instruction);
  const common = { programId, stackHeight: 1 };
  if (programId === MEMO_PROGRAM) return { ...common, program: 'spl-memo', parsed: data.toString('utf8') };
  if (programId === TOKEN_PROGRAM || programId === TOKEN_2022_PROGRAM) {
    const program = programId === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022';
    if (data[0] === TRANSFER_CHECKED && data.length >= 10) {
      const [source, mint, destination, authority] = accounts;
      const tokenAmount = uiTokenAmount(data.readBigUInt64LE(1), data[9] ?? 0);
      return { ...common, program, parsed: { type: 'transferChecked', info: { source, mint, destination, authority, tokenAmount } } };
    }
    if (data[0] === TRANSFER && data.length >= 9) {
      const [source, destination, authority] = accounts;
      return { ...common, program, parsed: { type: 'transfer', info: { source, destination, authority, amount: data.readBigUInt64LE(1).toString() } } };
    }
  }
  return { ...common, accounts, data: getBase58Decoder().decode(data) };
}
