import { WebSocket } from 'ws';
import type { Envelope, RouteInput, RouteName, RouteOutput, ServerFrame } from '../../src/shared/contract/contract.ts';
import type { Director } from './director.ts';
import { signIn } from '../support/page-sign-in.ts';

/** How long a request is on screen before the owner presses a button: the second that main counts, and a little. */
const LOOK_MS = 1_010;

/** The owner at the headless approval page, over the page's own WebSocket. */
export interface Owner {
  close(): void;
}

/** Decides what waits, one after the other, as it was planned. A call that was paid before is never approved a second time. */
export async function openOwner(dashboard: string, director: Director): Promise<Owner> {
  const { origin } = new URL(dashboard);
  const { cookie, protocols } = await signIn(dashboard);
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/approval`, [...protocols], { headers: { cookie, origin } });
  const waiting = new Map<number, (reply: Envelope<unknown>) => void>();
  let lastId = 0;
  let looking = false;
  let again = false;

  const request = <N extends RouteName>(route: N, input: RouteInput<N>): Promise<Envelope<RouteOutput<N>>> =>
    new Promise((resolve) => {
      const id = lastId++;
      waiting.set(id, (reply) => resolve(reply as Envelope<RouteOutput<N>>));
      socket.send(JSON.stringify({ id, route, input }));
    });

  async function look(): Promise<void> {
    again = true;
    if (looking) return;
    looking = true;
    while (again && socket.readyState === WebSocket.OPEN) {
      again = false;
      const current = await request('approvals.current', {});
      const approval = current.ok ? current.value.approval : undefined;
      if (!approval) continue;
      again = true;
      const { call: id = -1 } = JSON.parse(approval.argumentsText) as { call?: number };
      const call = director.call(id);
      await request('approvals.report', { paymentId: approval.paymentId, visible: true });
      if (call) director.reach(call, 'waiting');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const approves = call?.ownerApproves === true && !approval.rule.includes('paid before');
      const { paymentId, termsDigest, nonce } = approval;
      await request('approvals.decide', { paymentId, termsDigest, nonce, decision: approves ? 'approve' : 'reject' });
    }
    looking = false;
  }

  socket.on('message', (data) => {
    const frame = JSON.parse((data as Buffer).toString('utf8')) as ServerFrame;
    if ('id' in frame) waiting.get(frame.id)?.(frame.reply);
    else if (frame.event.topic === 'approvals') void look();
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('close', () => reject(new Error('the approval page was refused')));
  });
  void look();
  return {
    close: () => socket.terminate(),
  };
}
