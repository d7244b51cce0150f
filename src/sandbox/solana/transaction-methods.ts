import { getBase58Encoder, getSignatureFromTransaction, type Transaction } from '@solana/kit';
import type { Bank, Commitment, LandedTransaction } from './bank.ts';
import { encodeAccount } from './encode-account.ts';
import { encodeTransaction, memoOf } from './encode-transaction.ts';
import { decodeMessage, decodeWire } from './message.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { withContext, type RpcMethods } from './rpc-context.ts';
import { addressAt, configAt, signatureAt, textAt, textsAt } from './rpc-params.ts';
import { describeError, type TransactionError } from './transaction-error.ts';

const PREFLIGHT_FAILURE = -32002;
const SIGNATURE_VERIFICATION_FAILURE = -32003;
const MAX_SIGNATURES = 1_000;

/** The methods that send, simulate and look up transactions. */
export function transactionMethods(bank: Bank): RpcMethods {
  return {
    simulateTransaction: (params) => simulate(bank, params),
    sendTransaction: (params) => send(bank, params),
    getSignatureStatuses: (params) =>
      withContext(bank, 'processed', textsAt(params, 0).map((_, index, list) => statusOf(bank, signatureAt(list, index)))),
    getTransaction: (params) => {
      const { encoding, commitment, fields } = configAt(params, 1);
      const landed = bank.transaction(signatureAt(params, 0));
      if (!landed || !isAt(bank, landed, commitment)) return null;
      const maxVersion = fields['maxSupportedTransactionVersion'];
      return encodeTransaction(landed, encoding ?? 'json', typeof maxVersion === 'number' ? maxVersion : undefined);
    },
    getSignaturesForAddress: (params) => signaturesFor(bank, params),
  };
}

interface SignatureStatus {
  readonly slot: bigint;
  readonly confirmations: bigint | null;
  readonly err: TransactionError | null;
  readonly status: object;
  readonly confirmationStatus: Commitment;
}

/** What `getSignatureStatuses` says about a signature, null where it is unknown. */
export function statusOf(bank: Bank, signature: string): SignatureStatus | null {
  const landed = bank.transaction(signature);
  if (!landed) return null;
  const final = bank.isFinal(landed);
  return {
    slot: BigInt(landed.slot),
    confirmations: final ? null : bank.slot - BigInt(landed.slot),
    err: landed.err,
    status: landed.err === null ? { Ok: null } : { Err: landed.err },
    confirmationStatus: final ? 'finalized' : 'confirmed',
  };
}

const isAt = (bank: Bank, landed: LandedTransaction, commitment: Commitment | undefined): boolean =>
  (commitment !== undefined && commitment !== 'finalized') || bank.isFinal(landed);

function signaturesFor(bank: Bank, params: readonly unknown[]): object[] {
  const { commitment, fields } = configAt(params, 1);
  const { before, until, limit } = fields;
  let signatures = bank.signaturesOf(addressAt(params, 0));
  if (typeof before === 'string') signatures = signatures.slice(signatures.indexOf(before) + 1);
  if (typeof until === 'string' && signatures.includes(until)) signatures = signatures.slice(0, signatures.indexOf(until));
  const landed = signatures.flatMap((signature) => bank.transaction(signature) ?? []).filter((item) => isAt(bank, item, commitment));
  return landed.slice(0, typeof limit === 'number' ? limit : MAX_SIGNATURES).map((item) => ({
    signature: item.signature,
    slot: BigInt(item.slot),
    err: item.err,
    memo: memoOf(item),
    blockTime: item.blockTime,
    confirmationStatus: bank.isFinal(item) ? 'finalized' : 'confirmed',
  }));
}

function simulate(bank: Bank, params: readonly unknown[]): object {
  const { encoding, commitment, fields } = configAt(params, 1);
  const transaction = decodeParam(textAt(params, 0), encoding);
  const replaced = fields['replaceRecentBlockhash'] === true;
  if (!replaced && !bank.isBlockhashUsable(decodeMessage(transaction).lifetimeToken)) {
    return withContext(bank, commitment, failedSimulation('BlockhashNotFound', []));
  }
  const simulation = bank.simulate(transaction, fields['sigVerify'] === true);
  return withContext(bank, commitment, {
    ...failedSimulation(simulation.err, simulation.logs),
    unitsConsumed: simulation.unitsConsumed,
    innerInstructions: fields['innerInstructions'] === true ? simulation.innerInstructions : null,
    accounts: requestedAccounts(bank, fields['accounts'], simulation.accounts),
    ...(replaced && { replacementBlockhash: bank.latestBlockhash('confirmed') }),
  });
}

function requestedAccounts(bank: Bank, request: unknown, after: ReturnType<Bank['simulate']>['accounts']): unknown {
  if (request === undefined || request === null) return null;
  const { encoding = 'base64', fields } = configAt([request], 0);
  return textsAt([fields['addresses']], 0).map((_, index, list) => {
    const address = addressAt(list, index);
    return encodeAccount(bank, after.find((item) => item.address === address) ?? bank.account(address), { encoding });
  });
}

function send(bank: Bank, params: readonly unknown[]): string {
  const { encoding, fields } = configAt(params, 1);
  const transaction = decodeParam(textAt(params, 0), encoding);
  const preflight = fields['skipPreflight'] !== true;
  if (Object.values(transaction.signatures).some((signature) => signature === null)) throw signatureFailure();
  if (preflight) {
    if (!bank.isBlockhashUsable(decodeMessage(transaction).lifetimeToken)) throw preflightFailure('BlockhashNotFound', []);
    const { err, logs } = bank.simulate(transaction, true);
    if (err === 'SignatureFailure') throw signatureFailure();
    if (err !== null) throw preflightFailure(err, logs);
  }
  const outcome = bank.submit(transaction);
  if (outcome.kind === 'rejected') {
    if (outcome.err === 'SignatureFailure') throw signatureFailure();
    // Without preflight a node forwards the transaction and says so; that it was dropped, nobody tells.
    if (preflight) throw preflightFailure(outcome.err, outcome.logs);
  }
  return getSignatureFromTransaction(transaction);
}

function decodeParam(wire: string, encoding = 'base58'): Transaction {
  try {
    return decodeWire(encoding === 'base64' ? wire : Buffer.from(getBase58Encoder().encode(wire)).toString('base64'));
  } catch (error) {
    throw invalidParams(`failed to deserialize the transaction: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const signatureFailure = (): RpcError => new RpcError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');

const failedSimulation = (err: TransactionError | null, logs: readonly string[]): object => ({
  err,
  logs,
  accounts: null,
  unitsConsumed: 0,
  returnData: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
});

const preflightFailure = (err: TransactionError, logs: readonly string[]): RpcError =>
  new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${describeError(err)}`, failedSimulation(err, logs));
