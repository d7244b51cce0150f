import { WebSocket } from 'ws';
import type { ApprovalView } from '../../src/shared/contract/approvals.ts';
import type { Envelope, RouteInput, RouteName, RouteOutput, ServerFrame } from '../../src/shared/contract/contract.ts';
import { BursarError } from '../../src/shared/errors/errors.ts';
import { signIn } from './page-sign-in.ts';

/** The approval page without a browser: its sign-in, its socket, its requests. */
export interface ApprovalSocket {
  /** The request that waits, as soon as one does. */
  current(): Promise<ApprovalView>;
  /** Keeps the request on screen for its second, then answers it. */
  decide(decision: 'approve' | 'reject'): Promise<ApprovalView>;
  close(): void;
}

const ANSWER_WITHIN_MS = 15_000;

/** Signs in by the one-time address of the dashboard. */
export async function openApprovalSocket(dashboardUrl: string): Promise<ApprovalSocket> {
  const { origin, host, protocol } = new URL(dashboardUrl);
  const { cookie, protocols } = await signIn(dashboardUrl);
  const socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws/approval`, [...protocols], { headers: { origin, cookie } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));

  const waiting = new Map<number, (reply: Envelope<unknown>) => void>();
  const changed = new Set<() => void>();
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8')) as ServerFrame;
    if ('id' in frame) waiting.get(frame.id)?.(frame.reply);
    else if (frame.event.topic === 'approvals') for (const callback of changed) callback();
  });
  let next = 0;
  async function request<N extends RouteName>(route: N, input: RouteInput<N>): Promise<RouteOutput<N>> {
    const id = next++;
    const reply = await new Promise<Envelope<unknown>>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, route, input }));
    });
    if (reply.ok) return reply.value as RouteOutput<N>;
    throw new BursarError(reply.error.code, reply.error.message);
  }

  const current = async (): Promise<ApprovalView> => {
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalView>();
    const limit = setTimeout(() => reject(new Error('nothing waits for the owner')), ANSWER_WITHIN_MS);
    const look = () => void request('approvals.current', {}).then(({ approval }) => approval && resolve(approval), reject);
    changed.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(limit);
      changed.delete(look);
    });
  };

  return {
    current,
    async decide(decision) {
      const approval = await current();
      const { paymentId, termsDigest, nonce } = approval;
      const { answerableAt } = await request('approvals.report', { paymentId, visible: true });
      await new Promise((resolve) => setTimeout(resolve, (answerableAt ?? Date.now()) - Date.now() + 5));
      await request('approvals.decide', { paymentId, termsDigest, nonce, decision });
      return approval;
    },
    close: () => socket.terminate(),
  };
}
