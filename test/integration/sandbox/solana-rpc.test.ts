import { randomBytes } from 'node:crypto';
import {
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  devnet,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  isSolanaError,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  type Base64EncodedWireTransaction,
  type KeyPairSigner,
} from '@solana/kit';
import { findAssociatedTokenPda, getTransferCheckedInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOLANA_GENESIS_HASH, SOLANA_USDC } from '../../../src/sandbox/networks.ts';
import { startSolanaChain, type SolanaChain } from '../../../src/sandbox/solana/chain.ts';

const MINT = address(SOLANA_USDC);
const newSigner = () => createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
const connect = (url: string) => createSolanaRpc(devnet(url));

// An hour a slot: in these tests time passes only where it is told to.
const FROZEN = 3_600_000;
let chain: SolanaChain;
let rpc: ReturnType<typeof connect>;
let payer: KeyPairSigner;
let payee: KeyPairSigner;

beforeAll(async () => {
  chain = await startSolanaChain({ slotMs: FROZEN });
  chain.advance(10n);
  rpc = connect(chain.rpcUrl);
  [payer, payee] = await Promise.all([newSigner(), newSigner()]);
  await chain.fund(payer.address, { usdc: 1_000_000n, gas: true });
  await chain.fund(payee.address, { usdc: 0n });
});
afterAll(() => chain?.close());

const tokenAccount = async (owner: KeyPairSigner) => (await findAssociatedTokenPda({ owner: owner.address, mint: MINT, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];

async function transfer(amount: bigint): Promise<{ wire: Base64EncodedWireTransaction; signature: ReturnType<typeof getSignatureFromTransaction>; lastValidBlockHeight: bigint }> {
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const instruction = getTransferCheckedInstruction({
    source: await tokenAccount(payer),
    mint: MINT,
    destination: await tokenAccount(payee),
    authority: payer,
    amount,
    decimals: 6,
  });
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([instruction], message),
    ),
  );
  const { lastValidBlockHeight } = lifetime;
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction), lastValidBlockHeight };
}

const received = (list: readonly { owner?: string; uiTokenAmount: { amount: string } }[] | undefined) =>
  BigInt(list?.find(({ owner }) => owner === payee.address)?.uiTokenAmount.amount ?? '0');

const submit = (wire: Base64EncodedWireTransaction, skipPreflight = false) => rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight }).send();

test('a transfer is confirmed at once, final two slots later, and explained by its history', async () => {
  const { wire, signature } = await transfer(1_234n);
  expect(await submit(wire)).toBe(signature);
  const status = async () => (await rpc.getSignatureStatuses([signature]).send()).value[0];
  expect(await status()).toMatchObject({ err: null, confirmationStatus: 'confirmed' });
  const look = (commitment: 'confirmed' | 'finalized') =>
    rpc.getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0, commitment }).send();
  expect(await look('finalized')).toBeNull();

  chain.advance(2n);
  expect(await status()).toMatchObject({ confirmationStatus: 'finalized' });
  const landed = await look('finalized');
  expect(landed?.meta?.err).toBeNull();
  expect(landed?.transaction.message.instructions[0]).toMatchObject({ parsed: { type: 'transferChecked', info: { tokenAmount: { amount: '1234' } } } });
  expect(received(landed?.meta?.postTokenBalances) - received(landed?.meta?.preTokenBalances)).toBe(1_234n);
  const history = await rpc.getSignaturesForAddress(await tokenAccount(payer), { limit: 1, commitment: 'finalized' }).send();
  expect(history).toMatchObject([{ signature, err: null, confirmationStatus: 'finalized' }]);
  const base64 = await rpc.getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }).send();
  expect(base64?.transaction[0]).toBe(wire);
});

test('a transaction can land through its last valid height and never after', async () => {
  const [inTime, tooLate] = [await transfer(1n), await transfer(2n)];
  const left = inTime.lastValidBlockHeight - (await rpc.getBlockHeight({ commitment: 'confirmed' }).send());
  chain.advance(left);
  expect(await submit(inTime.wire)).toBe(inTime.signature);
  chain.advance(1n);
  await expect(submit(tooLate.wire)).rejects.toSatisfy((error) => isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE));
  await submit(tooLate.wire, true);
  expect((await rpc.getSignatureStatuses([tooLate.signature]).send()).value).toEqual([null]);
});

test('a transaction that was processed is not processed again', async () => {
  const before = await chain.balance(payee.address);
  const { wire } = await transfer(5n);
  await submit(wire);
  await expect(submit(wire)).rejects.toThrow();
  await submit(wire, true);
  expect((await chain.balance(payee.address)) - before).toBe(5n);
});

test('without preflight a transfer above the balance lands as failed and costs the fee', async () => {
  const { wire, signature } = await transfer(10n ** 12n);
  await expect(submit(wire)).rejects.toThrow();
  const before = (await rpc.getBalance(payer.address).send()).value;
  await submit(wire, true);
  expect((await rpc.getSignatureStatuses([signature]).send()).value[0]).toMatchObject({ err: { InstructionError: [0n, { Custom: 1n }] } });
  expect(before - (await rpc.getBalance(payer.address).send()).value).toBe(5_000n);
});

test('a signature that does not fit is refused', async () => {
  const { wire } = await transfer(7n);
  const bytes = Buffer.from(wire, 'base64');
  bytes[10] = bytes[10]! ^ 0xff;
  await expect(submit(bytes.toString('base64') as Base64EncodedWireTransaction)).rejects.toThrow(/signature/i);
});

test('subscriptions tell slots and signatures', async () => {
  const subscriptions = createSolanaRpcSubscriptions(devnet(chain.rpcUrl.replace('http', 'ws')));
  const abortSignal = AbortSignal.timeout(5_000);
  const slots = (await subscriptions.slotNotifications().subscribe({ abortSignal }))[Symbol.asyncIterator]();
  // kit keeps what comes in from the first `next()` on.
  const slot = slots.next();
  chain.advance(1n);
  expect((await slot).value).toMatchObject({ slot: chain.bank.slot });

  const { wire, signature } = await transfer(9n);
  const notifications = (await subscriptions.signatureNotifications(signature, { commitment: 'confirmed' }).subscribe({ abortSignal }))[Symbol.asyncIterator]();
  const notification = notifications.next();
  await submit(wire);
  expect((await notification).value).toMatchObject({ value: { err: null } });
});

test('what a wallet asks of a node is answered in the node’s own forms', async () => {
  expect(await rpc.getGenesisHash().send()).toBe(SOLANA_GENESIS_HASH);
  expect(await rpc.getHealth().send()).toBe('ok');
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'finalized' }).send();
  expect(lifetime.lastValidBlockHeight).toBe(chain.bank.slotAt('finalized') + 150n);
  expect((await rpc.isBlockhashValid(lifetime.blockhash).send()).value).toBe(true);
  expect(await rpc.getMinimumBalanceForRentExemption(165n).send()).toBe(2_039_280n);
  expect(await rpc.getEpochInfo().send()).toMatchObject({ absoluteSlot: chain.bank.slot, epoch: 0n });

  const account = await tokenAccount(payer);
  const balance = await chain.balance(payer.address);
  expect((await rpc.getTokenAccountBalance(account).send()).value).toMatchObject({ amount: balance.toString(), decimals: 6 });
  const owned = await rpc.getTokenAccountsByOwner(payer.address, { mint: MINT }, { encoding: 'jsonParsed' }).send();
  expect(owned.value.map(({ pubkey }) => pubkey)).toEqual([account]);
  const [token, nothing] = (await rpc.getMultipleAccounts([account, (await newSigner()).address]).send()).value;
  expect(token?.owner).toBe(TOKEN_PROGRAM_ADDRESS);
  expect(nothing).toBeNull();

  const stranger = await newSigner();
  const airdrop = await rpc.requestAirdrop(stranger.address, lamports(1_500_000_000n)).send();
  expect((await rpc.getBalance(stranger.address).send()).value).toBe(1_500_000_000n);
  expect((await rpc.getSignatureStatuses([airdrop]).send()).value[0]).toMatchObject({ err: null });
});

const post = async (body: string) => ((await (await fetch(chain.rpcUrl, { method: 'POST', body })).json()) as { error: { code: number; message: string } }).error;

test('malformed requests are named, not dropped', async () => {
  const call = (method: string, ...params: unknown[]) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  expect(await post('{')).toMatchObject({ code: -32700 });
  expect(await post('{"id":1}')).toMatchObject({ code: -32600 });
  expect(await call('getEverything')).toMatchObject({ code: -32601 });
  expect(await call('toString')).toMatchObject({ code: -32601 });
  expect(await call('getBalance', 'nobody')).toMatchObject({ code: -32602 });
  expect(await call('getSlot', { commitment: 'soon' })).toMatchObject({ code: -32602 });
  expect(await call('sendTransaction', 'AAAA', { encoding: 'base64' })).toMatchObject({ code: -32602 });
});
