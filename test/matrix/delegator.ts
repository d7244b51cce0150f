import {
  address,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { findAssociatedTokenPda, getApproveInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxProcess } from '../support/sandbox-process.ts';

const HOLDS = 10_000_000n;
const CONFIRMED_WITHIN_MS = 10_000;

/** A wallet that holds USDC and lets `delegate` spend it. Gives its address. */
export async function openDelegator({ solana, fund }: { readonly solana: Pick<SandboxProcess['solana'], 'usdc' | 'rpcUrl'>; readonly fund: (address: string, usdc: bigint) => Promise<void> }, delegate: string): Promise<string> {
  const owner = await generateKeyPairSigner();
  await fund(owner.address, HOLDS);
  const [source] = await findAssociatedTokenPda({ owner: owner.address, mint: address(solana.usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const rpc = createSolanaRpc(solana.rpcUrl);
  const { value: lifetime } = await rpc.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (draft) => setTransactionMessageFeePayerSigner(owner, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
    (draft) => appendTransactionMessageInstruction(getApproveInstruction({ source, delegate: address(delegate), owner, amount: HOLDS }), draft),
  );
  const signature = await rpc.sendTransaction(getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message)), { encoding: 'base64' }).send();
  for (const deadline = performance.now() + CONFIRMED_WITHIN_MS; performance.now() < deadline; await delay(50)) {
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    if (value[0] && value[0].err === null) return owner.address;
  }
  throw new Error('the approval of the delegate did not land');
}
