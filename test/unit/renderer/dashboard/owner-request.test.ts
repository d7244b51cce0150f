import { expect, test } from 'vitest';
import { requestAsOwner } from '../../../../src/renderer/dashboard/owner-request.ts';
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

test('repeats a refused request once after the owner gave the passphrase', async () => {
  const { carrier, left } = carrierOf(refusal('OWNER_REQUIRED'), { ok: true, value: { token: 't' } });
  expect(await requestAsOwner(carrier, () => Promise.resolve(true), 'clients.token', {})).toEqual({ ok: true, value: { token: 't' } });
  expect(left()).toBe(0);
});

test('does not ask a second time when main still refuses', async () => {
  let asked = 0;
  const { carrier } = carrierOf(refusal('OWNER_REQUIRED'), refusal('OWNER_REQUIRED'));
  const reply = await requestAsOwner(carrier, () => Promise.resolve(++asked > 0), 'clients.token', {});
  expect([reply.ok, asked]).toEqual([false, 1]);
});

const never = (): Promise<boolean> => Promise.reject(new Error('asked'));

test('repeats nothing when the owner gave up, and asks for no other error', async () => {
  const { carrier } = carrierOf(refusal('WALLET_LOCKED'));
  expect(await requestAsOwner(carrier, () => Promise.resolve(false), 'clients.token', {})).toMatchObject({ error: { code: 'WALLET_LOCKED' } });
  const other = carrierOf(refusal('NOT_FOUND'));
  expect(await requestAsOwner(other.carrier, never, 'clients.token', {})).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

test('an event makes stale what its domain shows, and what others show of it', () => {
  expect(isTouchedBy('policy', 'policy.get')).toBe(true);
  expect(isTouchedBy('policy', 'payments.spend')).toBe(true);
  expect(isTouchedBy('owner', 'app.status')).toBe(true);
  expect(isTouchedBy('app', 'approvals.waiting')).toBe(false);
  expect(isTouchedBy('clients', 'payments.list')).toBe(false);
});
