import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpstreamTransport } from '../../src/shared/contract/upstreams.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../support/approval-socket.ts';
import { usdcBalance } from '../support/chain-balance.ts';
import { addClient, ownerContract, type OwnerContract } from '../support/contract.ts';
import { httpAgent, type HttpAgent } from '../support/http-agent.ts';
import { startSandboxProcess, type SandboxProcess } from '../support/sandbox-process.ts';
import { openDelegator } from './delegator.ts';
import { stdioAgent, type StdioAgent } from './stdio-agent.ts';

const CLIENT = 'matrix';

/** What lies where, read from the chains and the card service. */
export interface Holdings {
  readonly evm: Ends;
  readonly svm: Ends;
  /** USDC of the wallet that lets the Solana account spend. */
  readonly delegator: bigint;
  readonly cents: bigint;
}
interface Ends {
  readonly payer: bigint;
  readonly payee: bigint;
}

/** A sandbox, a Bursar that pays whatever is asked, and agents on both sides' transports. */
export interface House {
  readonly sandbox: SandboxProcess;
  readonly owner: OwnerContract;
  readonly approvals: ApprovalSocket;
  /** Address of all servers at once. */
  readonly mcpUrl: string;
  addUpstream(name: string, transport: UpstreamTransport): Promise<void>;
  /** The agent for an upstream; opened at its first use. */
  agent(upstream: string, over: 'stdio' | 'http'): Promise<Pick<HttpAgent, 'call'>>;
  /** Whose USDC the Solana account pays with: its own, or the delegator's. */
  paySolanaFrom(source: 'own' | 'delegator'): Promise<void>;
  holdings(): Promise<Holdings>;
  close(): Promise<void>;
}

/**
 * Opens the house: one policy without limits, a test card, the sandbox's shared secret. `openHosts` are private hosts of paid HTTP APIs; the
 * sandbox's own are open by themselves.
 */
export async function openHouse(openHosts: string[]): Promise<House> {
  const sandbox = await startSandboxProcess();
  const home = mkdtempSync(join(tmpdir(), 'bursar-matrix-'));
  let app: AppProcess | undefined;
  let owner: OwnerContract | undefined;
  let approvals: ApprovalSocket | undefined;
  const agents = new Map<string, HttpAgent | StdioAgent>();
  const close = async () => {
    for (const agent of agents.values()) if ('close' in agent) await agent.close();
    approvals?.close();
    owner?.close();
    await app?.stop();
    await sandbox.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const running = await startApp({ home, env: { BURSAR_SANDBOX: sandbox.readyFile } });
    app = running;
    const contract = await ownerContract(home);
    owner = contract;
    approvals = await openApprovalSocket(app.dashboard);
    await endow(contract, openHosts);
    const token = await addClient(contract, CLIENT);
    const { accounts } = await contract.request('accounts.list', {});
    const account = (namespace: string) => accounts.find((candidate) => candidate.namespace === namespace)!;
    const [evm, solana] = [account('eip155'), account('solana')];
    const delegator = await openDelegator({ solana: sandbox.solana, fund: (address, usdc) => sandbox.fund(sandbox.solana.network, address, usdc) }, solana.address);
    let source: 'own' | 'delegator' = 'own';
    const ends = async (network: string, from: string, to: string): Promise<Ends> => ({ payer: await usdcBalance(sandbox, network, from), payee: await usdcBalance(sandbox, network, to) });
    return {
      sandbox,
      owner: contract,
      approvals,
      mcpUrl: running.mcp,
      close,
      addUpstream: async (name, transport) => void (await contract.request('upstreams.add', { name, transport })),
      async paySolanaFrom(wanted) {
        if (wanted === source) return;
        await contract.request('accounts.payFrom', { accountId: solana.id, ...(wanted === 'delegator' && { owner: delegator }) });
        source = wanted;
      },
      async agent(upstream, over) {
        const key = `${over} ${upstream}`;
        const known = agents.get(key) ?? (over === 'http' ? await httpAgent(running, upstream) : await stdioAgent({ home, upstream, client: CLIENT, token }));
        agents.set(key, known);
        return known;
      },
      async holdings() {
        const [evmEnds, svmEnds, delegated, cents] = await Promise.all([
          ends(sandbox.evm.network, evm.address, sandbox.seller.payTo.evm),
          ends(sandbox.solana.network, solana.address, sandbox.seller.payTo.solana),
          usdcBalance(sandbox, sandbox.solana.network, delegator),
          capturedCents(sandbox),
        ]);
        return { evm: evmEnds, svm: svmEnds, delegator: delegated, cents };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function endow(owner: OwnerContract, openHosts: string[]): Promise<void> {
  const { number, policy } = await owner.request('policy.get', {});
  const paying = { ...policy.paying, openHosts };
  await owner.request('policy.set', { basedOn: number, policy: { ...policy, caps: [], otherwise: 'allow', paying } });
}

async function capturedCents({ controlUrl, controlToken }: SandboxProcess): Promise<bigint> {
  const response = await fetch(`${controlUrl}/cards`, { headers: { authorization: `Bearer ${controlToken}` } });
  return BigInt(((await response.json()) as { capturedCents: number }).capturedCents);
}
