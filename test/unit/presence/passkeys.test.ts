import { describe, expect, test } from 'vitest';
import { softwareAuthenticator, type Signing } from './authenticator.ts';
import { approvalPage, dashboard, openWorld, ORIGIN, PASSPHRASE, terminal } from './presence-world.ts';

const code = (name: string) => expect.objectContaining({ code: name }) as unknown;

async function open() {
  const world = openWorld();
  const authenticator = softwareAuthenticator();
  await world.addPasskey(authenticator);
  const { answer, approve } = world.waiting('pay_1', 2_000_000n);
  /** Proves the waiting payment, signed otherwise than it should be where `wrong` says so. */
  const prove = async (wrong: Partial<Signing> = {}, by = authenticator): Promise<void> => {
    const { challenge } = await world.begin('approvals.decide', approve, approvalPage);
    await world.ask('presence.prove', { challenge, kind: 'passkey', assertion: by.assert({ challenge, origin: ORIGIN, ...wrong }) }, approvalPage);
  };
  return { ...world, authenticator, answer, approve, prove };
}

test('a passkey does not approve what it signed for', async () => {
  const { ask, prove, approve, answer } = await open();
  await prove();
  await ask('approvals.decide', approve, approvalPage);
  expect(answer.value).toBe('approved');
});

describe('I7: a passkey proves something', () => {
  test('on the page of another port of localhost, for another name, or for another challenge', async () => {
    const { ask, prove, approve } = await open();
    await expect(prove({ origin: 'http://localhost:4022' })).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(prove({ rpId: 'example.org' })).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(prove({ challenge: Buffer.alloc(32).toString('base64url') })).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(prove({ type: 'webauthn.create' })).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(ask('approvals.decide', approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  });

  test('of a person whom the authenticator did not verify', async () => {
    const { prove } = await open();
    await expect(prove({ verified: false })).rejects.toEqual(code('PRESENCE_FAILED'));
  });

  test('twice with one signature, though the same payment waits on', async () => {
    const { ask, begin, approve, authenticator } = await open();
    const { challenge } = await begin('approvals.decide', approve, approvalPage);
    const proof = { challenge, kind: 'passkey' as const, assertion: authenticator.assert({ challenge, origin: ORIGIN }) };
    const both = await Promise.allSettled([ask('presence.prove', proof, approvalPage), ask('presence.prove', proof, approvalPage)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const fresh = await begin('approvals.decide', approve, approvalPage);
    await expect(ask('presence.prove', { ...proof, challenge: fresh.challenge }, approvalPage)).rejects.toEqual(code('PRESENCE_FAILED'));
  });

  test('with a counter that went back, as that of a copy does', async () => {
    const { prove } = await open();
    await prove({ counter: 7 });
    await expect(prove({ counter: 7 })).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(prove({ counter: 6 })).rejects.toEqual(code('PRESENCE_FAILED'));
    await prove({ counter: 8 });
  });

  test('that was put into the database from outside, whose public key was exchanged, or that was removed and put back', async () => {
    const { ask, begin, rows, prove } = await open();
    const foreign = openWorld();
    const stranger = softwareAuthenticator();
    await foreign.addPasskey(stranger);
    const [own] = rows.all();
    const [theirs] = foreign.rows.all();
    rows.put(theirs!);
    await expect(prove({}, stranger)).rejects.toEqual(code('PRESENCE_FAILED'));
    rows.put({ ...own!, public_key: theirs!.public_key });
    await expect(prove({}, { ...stranger, assert: (signing) => ({ ...stranger.assert(signing), id: own!.id, rawId: own!.id }) })).rejects.toThrow();
    rows.put(own!);
    await prove();

    const [passkey] = (await ask('presence.get', {}, terminal)).passkeys;
    const { challenge } = await begin('presence.passkeys.remove', { id: passkey!.id }, terminal);
    await expect(ask('presence.passkeys.remove', { id: passkey!.id }, terminal)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, terminal);
    await ask('presence.passkeys.remove', { id: passkey!.id }, terminal);
    rows.put(own!);
    expect((await ask('presence.get', {}, dashboard)).passkeys).toEqual([]);
  });
});

test('I7: a passkey that a forged policy names accepts the forged ledger, or the passphrase of the browser does in its place; or a terminal cannot', async () => {
  const { ask, begin, findings, reached, authenticator } = await open();
  const { challenge } = await begin('ledger.accept', {}, dashboard);
  findings.push('The policy was changed from outside.');
  const made = authenticator.assert({ challenge, origin: ORIGIN, counter: 9 });
  await expect(ask('presence.prove', { challenge, kind: 'passkey', assertion: made }, dashboard)).rejects.toEqual(code('LEDGER_TAMPERED'));
  await expect(ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, dashboard)).rejects.toEqual(code('PRESENCE_STALE'));
  await expect(ask('ledger.accept', {}, dashboard)).rejects.toEqual(code('LEDGER_TAMPERED'));
  await expect(begin('ledger.accept', {}, dashboard)).rejects.toEqual(code('LEDGER_TAMPERED'));
  await expect(ask('seeds.reveal', { passphrase: PASSPHRASE }, dashboard)).rejects.toEqual(code('LEDGER_TAMPERED'));
  expect(reached).toEqual([]);

  const typed = await begin('ledger.accept', {}, terminal);
  await ask('presence.prove', { challenge: typed.challenge, kind: 'passphrase', passphrase: PASSPHRASE }, terminal);
  await expect(ask('ledger.accept', {}, terminal)).rejects.toEqual(code('FORBIDDEN'));
  expect(reached).toEqual(['ledger.accept']);
});

test('settings that were changed leave an owner with a passkey no way to accept them on the page, and speak of a changed ledger', async () => {
  const { ask, begin, findings, finding, reached, authenticator } = await open();
  finding.cause = 'settings';
  findings.push('config.json was changed outside Bursar.');
  const { challenge, methods } = await begin('ledger.accept', {}, dashboard);
  expect(methods).toEqual(['passkey']);
  await ask('presence.prove', { challenge, kind: 'passkey', assertion: authenticator.assert({ challenge, origin: ORIGIN, counter: 9 }) }, dashboard);
  await expect(ask('ledger.accept', {}, dashboard)).rejects.toEqual(code('FORBIDDEN'));
  expect(reached).toEqual(['ledger.accept']);
});

test('I7: a forged policy turns presence off, and a link is shown for it', async () => {
  const { ask, findings, policies, reached } = openWorld();
  policies.save({ basedOn: policies.current().number, policy: { ...policies.current().policy, presence: { above: 'off', unit: 'USD' } }, author: 'somebody' });
  await expect(ask('escrows.link', { id: 'esc_1' }, dashboard)).rejects.toEqual(code('FORBIDDEN'));
  findings.push('The policy was changed from outside.');
  await expect(ask('escrows.link', { id: 'esc_1' }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  expect(reached).toEqual(['escrows.link']);
});

describe('I7: a passkey is added', () => {
  test('without the passphrase, without the passkey that is there, or by a policy file', async () => {
    const { ask, policies } = await open();
    const second = softwareAuthenticator();
    const attestation = async () => second.attest({ challenge: (await ask('presence.passkeys.begin', {}, dashboard)).challenge, origin: ORIGIN });
    await expect(ask('presence.passkeys.add', { attestation: await attestation(), label: 'Second', passphrase: PASSPHRASE }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    const { number, policy } = policies.current();
    const named = { ...policy, presence: { ...policy.presence, unit: 'USD' as const, passkeys: ['0'.repeat(64)] } };
    await expect(ask('policy.set', { basedOn: number, policy: named }, terminal)).rejects.toEqual(code('INPUT_INVALID'));
    const empty = openWorld();
    const made = await empty.ask('presence.passkeys.begin', {}, dashboard);
    const add = { attestation: second.attest({ challenge: made.challenge, origin: ORIGIN }), label: 'First', passphrase: 'wrong' };
    await expect(empty.ask('presence.passkeys.add', add, dashboard)).rejects.toEqual(code('PASSPHRASE_WRONG'));
    // A wrong passphrase costs no new passkey.
    expect((await empty.ask('presence.passkeys.add', { ...add, passphrase: PASSPHRASE }, dashboard)).passkeys).toHaveLength(1);
    await expect(empty.ask('presence.passkeys.begin', {}, terminal)).rejects.toEqual(code('FORBIDDEN'));
  });

  test('that did not verify its person, or was made on another page or for an older challenge', async () => {
    const { ask } = openWorld();
    for (const wrong of [{ verified: false }, { origin: 'http://localhost:1' }, { challenge: Buffer.alloc(32).toString('base64url') }]) {
      const { challenge } = await ask('presence.passkeys.begin', {}, dashboard);
      const attestation = softwareAuthenticator().attest({ challenge, origin: ORIGIN, ...wrong });
      await expect(ask('presence.passkeys.add', { attestation, label: 'Key', passphrase: PASSPHRASE }, dashboard)).rejects.toEqual(code('PRESENCE_FAILED'));
    }
    expect((await ask('presence.get', {}, dashboard)).passkeys).toEqual([]);
  });
});
