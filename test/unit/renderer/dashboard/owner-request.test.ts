import { expect, test } from 'vitest';
import { requestAsOwner, type AskingOwner } from '../../../../src/renderer/dashboard/owner-request.ts';
import { isTouchedBy } from '../../../../src/renderer/dashboard/server-state.tsx';
import type { Carrier, Envelope } from '../../../../src/shared/contract/contract.ts';
import type { ErrorCode } from '../../../../src/shared/errors/codes.ts';

const refusal = (code: ErrorCode): Envelope<never> => ({ ok: false, error: { code, message: '', hint: '', context: {} } });

function carrierOf(...replies: Envelope<unknown>[]): { carrier: Pick<Carrier, 'request'>; left: () => number } {
  const queue = [...replies];
  const request = () => {
    const next = queue.shift();
    if (!next) throw new Error('asked once too often');
    return Promise.resolve(next as never);
  };
  return { carrier: { request }, left: () => queue.length };
}

const never = (): Promise<boolean> => Promise.reject(new Error('asked'));
const owner = (askOwner: AskingOwner['askOwner'], askPresence: AskingOwner['askPresence'] = never): AskingOwner => ({ askOwner, askPresence });

test('repeats a refused request once after the owner gave the passphrase', async () => {
  const { carrier, left } = carrierOf(refusal('OWNER_REQUIRED'), { ok: true, value: { token: 't' } });
  expect(await requestAsOwner(carrier, owner(() => Promise.resolve(true)), 'clients.token', {})).toEqual({ ok: true, value: { token: 't' } });
  expect(left()).toBe(0);
});

test('does not ask a second time when main still refuses', async () => {
  let asked = 0;
  const { carrier } = carrierOf(refusal('OWNER_REQUIRED'), refusal('OWNER_REQUIRED'));
  const reply = await requestAsOwner(carrier, owner(() => Promise.resolve(++asked > 0)), 'clients.token', {});
  expect([reply.ok, asked]).toEqual([false, 1]);
});

test('repeats nothing when the owner gave up, and asks for no other error', async () => {
  const { carrier } = carrierOf(refusal('WALLET_LOCKED'));
  expect(await requestAsOwner(carrier, owner(() => Promise.resolve(false)), 'clients.token', {})).toMatchObject({ error: { code: 'WALLET_LOCKED' } });
  const other = carrierOf(refusal('NOT_FOUND'));
  expect(await requestAsOwner(other.carrier, owner(never), 'clients.token', {})).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('a proof of presence is asked for another act than the refused one, or not at all after the passphrase', async () => {
  const { carrier, left } = carrierOf(refusal('OWNER_REQUIRED'), refusal('PRESENCE_REQUIRED'), { ok: true, value: {} });
  const acts: unknown[] = [];
  const yes = () => Promise.resolve(true);
  const askPresence: AskingOwner['askPresence'] = (act) => Promise.resolve(acts.push(act) > 0);
  expect((await requestAsOwner(carrier, owner(yes, askPresence), 'policy.resume', {})).ok).toBe(true);
  expect([acts, left()]).toEqual([[{ route: 'policy.resume', input: {} }], 0]);
  const refused = carrierOf(refusal('PRESENCE_REQUIRED'));
  expect(await requestAsOwner(refused.carrier, owner(never, () => Promise.resolve(false)), 'policy.resume', {})).toMatchObject({ error: { code: 'PRESENCE_REQUIRED' } });
});

test('an event makes stale what its domain shows, and what others show of it', () => {
  expect(isTouchedBy('policy', 'policy.get')).toBe(true);
  expect(isTouchedBy('policy', 'payments.spend')).toBe(true);
  expect(isTouchedBy('owner', 'app.status')).toBe(true);
  expect(isTouchedBy('app', 'approvals.waiting')).toBe(false);
  expect(isTouchedBy('clients', 'payments.list')).toBe(false);
});
