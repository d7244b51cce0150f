import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner, type FacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator';
import { toFacilitatorSvmSigner, type FacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmSchemeV1 } from '@x402/svm/exact/v1/facilitator';
import type { EvmChain } from '../evm/chain.ts';
import { EVM_NETWORK, EVM_NETWORK_V1, SOLANA_NETWORK, SOLANA_NETWORK_V1 } from '../networks.ts';

type V1Network = Parameters<x402Facilitator['registerV1']>[0];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type knows CAIP-2 names only; those of version 1 are plain
const v1 = (network: string): V1Network => network as V1Network;

export interface FacilitatorOptions {
  readonly evm: Pick<EvmChain, 'clients' | 'facilitator'>;
  readonly solana: { readonly rpcUrl: string; readonly privateKey: Uint8Array };
  /** How long a settlement waits for its transaction before it reports `settlement_pending`. */
  readonly confirmationTimeoutMs: number;
}

/**
 * The stock x402 facilitator for the sandbox's two chains, `exact` in protocol versions 1 and 2. Permit2 is not there: the chain
 * has no Permit2 contract, and the stock facilitator would report success without moving anything.
 */
export async function createFacilitator({ evm, solana, confirmationTimeoutMs }: FacilitatorOptions): Promise<x402Facilitator> {
  const evmSigner = createEvmSigner(evm, confirmationTimeoutMs);
  const svmSigner = await createSvmSigner(solana, confirmationTimeoutMs);
  return new x402Facilitator()
    .register(EVM_NETWORK, new ExactEvmScheme(evmSigner))
    .register(SOLANA_NETWORK, new ExactSvmScheme(svmSigner))
    .registerV1(v1(EVM_NETWORK_V1), new ExactEvmSchemeV1(evmSigner))
    .registerV1(v1(SOLANA_NETWORK_V1), new ExactSvmSchemeV1(svmSigner));
}

// anvil signs for its own account and assigns the nonce.
function createEvmSigner({ clients: { reader, wallet, sending }, facilitator }: FacilitatorOptions['evm'], confirmationTimeoutMs: number): FacilitatorEvmSigner {
  type Client = Parameters<typeof toFacilitatorEvmSigner>[0];
  const client: Client = {
    address: facilitator,
    getCode: (request) => reader.getCode(request),
    readContract: (request) => reader.readContract({ ...request, args: request.args ?? [] }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facilitator types its message as plain records
    verifyTypedData: (request) => reader.verifyTypedData(request as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: (request) => sending(() => wallet.writeContract({ ...request, account: facilitator })),
    sendTransaction: (request) => sending(() => wallet.sendTransaction({ ...request, account: facilitator })),
    waitForTransactionReceipt: (request) => reader.waitForTransactionReceipt(request),
  };
  return toFacilitatorEvmSigner(client, { confirmationTimeoutMs });
}

async function createSvmSigner({ rpcUrl, privateKey }: FacilitatorOptions['solana'], confirmationTimeoutMs: number): Promise<FacilitatorSvmSigner> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(privateKey);
  const stock = toFacilitatorSvmSigner(signer, { defaultRpcUrl: rpcUrl });
  return { ...stock, confirmTransaction: (signature, network) => within(confirmationTimeoutMs, stock.confirmTransaction(signature, network)) };
}

/** The stock signer polls for 30 s; its own texts tell that the outcome is open. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(new Error('Transaction confirmation timeout')), ms);
  try {
    await Promise.race([work, timer.promise]);
  } finally {
    clearTimeout(timeout);
  }
}
