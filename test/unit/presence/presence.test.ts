import { describe, expect, test } from 'vitest';
import { softwareAuthenticator } from './authenticator.ts';
import { approvalPage, dashboard, openWorld, ORIGIN, PASSPHRASE, popup, terminal } from './presence-world.ts';

const code = (name: string) => expect.objectContaining({ code: name }) as unknown;

describe('I7: an approval above the limit', () => {
  test('goes through without proof; or with the proof of another payment, another page, or a second time', async () => {
    const { ask, begin, waiting } = openWorld();
    const one = waiting('pay_1', 2_000_000n);
    await expect(ask('approvals.decide', one.approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    const other = waiting('pay_2', 2_000_000n);
    const { challenge } = await begin('approvals.decide', one.approve, approvalPage);
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    await expect(ask('approvals.decide', other.approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('approvals.decide', one.approve, { ...approvalPage, connection: 'cli' })).rejects.toEqual(code('PRESENCE_REQUIRED'));
    // The proof itself is used up by its first hearing.
    await expect(ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage)).rejects.toEqual(code('PRESENCE_STALE'));
    expect([one.answer.value, other.answer.value]).toEqual([undefined, undefined]);
  });

  test('is proven by another page than the one that asked for the proof', async () => {
    const { ask, begin, waiting } = openWorld();
    const { approve } = waiting('pay_1', 2_000_000n);
    const { challenge } = await begin('approvals.decide', approve, approvalPage);
    const proof = { challenge, kind: 'passphrase' as const, passphrase: PASSPHRASE };
    await expect(ask('presence.prove', proof, { ...approvalPage, connection: 'another page' })).rejects.toEqual(code('PRESENCE_STALE'));
    await ask('presence.prove', proof, approvalPage);
    await ask('approvals.decide', approve, approvalPage);
  });

  test('is refused although it is proven, because what asked for the proof covered the page; or a proof serves twice', async () => {
    const { ask, begin, waiting, approvals, clock } = openWorld();
    const { answer, approve } = waiting('pay_1', 2_000_000n);
    const { challenge } = await begin('approvals.decide', approve, approvalPage);
    approvals.report({ paymentId: 'pay_1', visible: false });
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    await expect(ask('approvals.decide', approve, approvalPage)).rejects.toEqual(code('APPROVAL_TOO_EARLY'));
    approvals.report({ paymentId: 'pay_1', visible: true });
    clock.advance(1000);
    await ask('approvals.decide', approve, approvalPage);
    expect(answer.value).toBe('approved');
    const again = waiting('pay_1', 2_000_000n);
    await expect(ask('approvals.decide', again.approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('approvals.decide', { ...again.approve, nonce: approve.nonce }, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  });

  test('is not done once it is proven', async () => {
    const { ask, begin, waiting } = openWorld();
    const { answer, approve } = waiting('pay_1', 1_000_001n);
    const { challenge, methods } = await begin('approvals.decide', approve, approvalPage);
    expect(methods).toEqual(['passphrase']);
    await expect(ask('presence.prove', { challenge, kind: 'passphrase', passphrase: 'wrong' }, approvalPage)).rejects.toEqual(code('PASSPHRASE_WRONG'));
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    await ask('approvals.decide', approve, approvalPage);
    expect(answer.value).toBe('approved');
  });

  test('is proven by a challenge or a proof that is too old', async () => {
    const { ask, begin, waiting, clock, approvals } = openWorld();
    const { approve } = waiting('pay_1', 2_000_000n);
    const { challenge, expiresAt } = await begin('approvals.decide', approve, approvalPage);
    clock.advance(expiresAt - clock.now());
    await expect(ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage)).rejects.toEqual(code('PRESENCE_STALE'));
    const fresh = await begin('approvals.decide', approve, approvalPage);
    await ask('presence.prove', { challenge: fresh.challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    clock.advance(60_000);
    approvals.report({ paymentId: 'pay_1', visible: true });
    await expect(ask('approvals.decide', approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  });
});

test('a small amount or a rejection takes proof; one without a known price takes none', async () => {
  const { ask, waiting } = openWorld();
  const small = waiting('pay_1', 1_000_000n);
  await ask('approvals.decide', small.approve, approvalPage);
  expect(small.answer.value).toBe('approved');
  const unpriced = waiting('pay_2', undefined);
  await expect(ask('approvals.decide', unpriced.approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  await ask('approvals.decide', { ...unpriced.approve, decision: 'reject' }, approvalPage);
  expect(unpriced.answer.value).toBe('rejected');
});

test('play money asks although nobody set it, or does not where somebody did', async () => {
  const { ask, waiting } = openWorld({ realMoney: false });
  const free = waiting('pay_1', 900_000_000n);
  await ask('approvals.decide', free.approve, approvalPage);
  expect(free.answer.value).toBe('approved');
  expect(await ask('presence.set', { above: '0.005' }, dashboard)).toMatchObject({ above: '0.005', byDefault: false });
  await expect(ask('approvals.decide', waiting('pay_2', 5_001n).approve, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
});

describe('I7: without proof', () => {
  test('the limit is raised or turned off, the policy loosened, or payments resumed; or what tightens is held up', async () => {
    const { ask, policies } = openWorld();
    for (const above of ['1.01', 'off'] as const) await expect(ask('presence.set', { above }, terminal)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    expect((await ask('presence.set', { above: '0.5' }, terminal)).above).toBe('0.5');
    const { number, policy } = policies.current();
    const looser = { ...policy, caps: policy.caps.slice(1) };
    await expect(ask('policy.set', { basedOn: number, policy: looser }, terminal)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await ask('policy.pause', {}, terminal);
    await expect(ask('policy.resume', {}, terminal)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  });

  test('a tool is allowed beside a request, or with the proof for another rule; or blocking its server is held up', async () => {
    const { ask, begin, waiting, clock, policies } = openWorld();
    const { approve: { paymentId, termsDigest, nonce } } = waiting('pay_1', 10_000n);
    const shown = { paymentId, termsDigest, nonce };
    const propose = async (perDay: string) => {
      const { id: proposal } = await ask('approvals.proposeRule', { ...shown, act: { kind: 'allow-tool', perDay } }, approvalPage);
      clock.advance(1000);
      return { ...shown, proposal, kind: 'allow-tool' as const };
    };
    const small = await propose('2');
    await expect(ask('approvals.saveRule', small, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    const { challenge } = await begin('approvals.saveRule', small, approvalPage);
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    const large = await propose('200');
    await expect(ask('approvals.saveRule', large, approvalPage)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    expect(policies.current().number).toBe(1);
    const again = await begin('approvals.saveRule', large, approvalPage);
    await ask('presence.prove', { challenge: again.challenge, kind: 'passphrase', passphrase: PASSPHRASE }, approvalPage);
    expect(await ask('approvals.saveRule', large, approvalPage)).toEqual({ number: 2 });
    const { id: proposal } = await ask('approvals.proposeRule', { ...shown, act: { kind: 'block-server' } }, approvalPage);
    clock.advance(1000);
    expect(await ask('approvals.saveRule', { ...shown, proposal, kind: 'block-server' }, approvalPage)).toEqual({ number: 3 });
  });

  test('a policy that leaves presence out puts it back to the usual amount', async () => {
    const { ask, policies } = openWorld();
    await ask('presence.set', { above: '0.5' }, terminal);
    const { number, policy: { presence, ...rest } } = policies.current();
    await ask('policy.set', { basedOn: number, policy: { ...rest, otherwise: 'deny' } }, terminal);
    expect(policies.current().policy.presence).toEqual(presence);
  });

  test('something is done before a passphrase is set, which nobody could prove', async () => {
    const { ask, waiting } = openWorld({ passphraseSet: false });
    await expect(ask('approvals.decide', waiting('pay_1', 2_000_000n).approve, approvalPage)).rejects.toEqual(code('OWNER_REQUIRED'));
    await expect(ask('presence.set', { above: '0.5' }, dashboard)).rejects.toEqual(code('OWNER_REQUIRED'));
  });

  test('a surface begins what it may not do', async () => {
    const { begin } = openWorld();
    await expect(begin('policy.resume', {}, approvalPage)).rejects.toEqual(code('FORBIDDEN'));
    await expect(begin('policy.resume', {}, { ...terminal, connection: 'nobody' })).rejects.toEqual(code('OWNER_REQUIRED'));
    await expect(begin('policy.set', { basedOn: 'x' }, terminal)).rejects.toEqual(code('INPUT_INVALID'));
  });
});

describe('I7: an agent that drives the page in the browser', () => {
  const url = { pageUrl: 'https://claims.example' };
  const program = { name: 'notes', transport: { kind: 'stdio' as const, command: 'sh', args: ['-c', 'true'] } };
  const service = { name: 'notes', transport: { kind: 'http' as const, url: 'https://mcp.example.com' } };
  const secrets = [
    ['seeds.reveal', { passphrase: PASSPHRASE }],
    ['accounts.export', { accountId: 'a', form: 'hex', passphrase: PASSPHRASE }],
    ['backup.create', { path: '/tmp/b', passphrase: PASSPHRASE, filePassphrase: 'of somebody else' }],
  ] as const;

  test('takes what lies in a link above the limit, has the next links sent to it, or runs a program', async () => {
    const { ask, reached, begin } = openWorld();
    await expect(ask('escrows.link', { id: 'esc_1000001' }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('escrows.setPage', url, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    const mail = { host: 'mail.example', port: 465, secure: true, from: 'me@mail.example' };
    await expect(ask('escrows.setMail', { mail }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('upstreams.add', program, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('upstreams.addPasted', { text: '{}', add: [{ entry: '', name: 'notes' }] }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    expect(reached).toEqual([]);
    const { challenge } = await begin('escrows.link', { id: 'esc_1000001' }, dashboard);
    await ask('presence.prove', { challenge, kind: 'passphrase', passphrase: PASSPHRASE }, dashboard);
    await expect(ask('escrows.link', { id: 'esc_9000000' }, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    await expect(ask('escrows.link', { id: 'esc_1000001' }, dashboard)).rejects.toEqual(code('FORBIDDEN'));
    expect(reached).toEqual(['escrows.link']);
  });

  test.each([
    ['upstreams.add', service],
    ['contacts.add', { name: 'Ada', addresses: [] }],
    ['contacts.edit', { number: 1, name: 'Ada' }],
    ['networks.set', { network: 'eip155:8453', rpcUrls: ['https://rpc.example'] }],
    ['facilitators.set', { network: 'eip155:8453', urls: ['https://facilitator.example'] }],
    ['clients.add', { name: 'agent', scopes: ['payment_context:read'] }],
    ['clients.setScopes', { name: 'agent', scopes: ['x402:execute'] }],
    ['clients.rotate', { name: 'agent' }],
    ['clients.token', {}],
    ['clients.link', { kind: 'cursor' }],
    ['clients.import', { kind: 'cursor', name: 'notes' }],
    ['clients.protect', { kind: 'cursor', name: 'notes', digest: 'a' }],
  ] as const)('changes by %s what a rule lets through, whom it pays, whose word counts, or what a client may do; or a terminal is held up', async (route, input) => {
    const { ask, reached } = openWorld();
    await expect(ask(route, input as never, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    expect(reached).toEqual([]);
    await expect(ask(route, input as never, terminal)).rejects.toEqual(code('FORBIDDEN'));
    expect(reached).toEqual([route]);
  });

  test('holds up small links, mail that is removed, or programs that a terminal adds', async () => {
    const { ask, reached } = openWorld();
    await expect(ask('escrows.link', { id: 'esc_1000000' }, dashboard)).rejects.toEqual(code('FORBIDDEN'));
    await expect(ask('escrows.setMail', { mail: null }, dashboard)).rejects.toEqual(code('FORBIDDEN'));
    await expect(ask('upstreams.add', program, terminal)).rejects.toEqual(code('FORBIDDEN'));
    expect(reached).toEqual(['escrows.link', 'escrows.setMail', 'upstreams.add']);
  });

  test('has a key with a passphrase that the browser filled in, where there is a passkey', async () => {
    const { ask, addPasskey, reached } = openWorld();
    for (const [route, input] of secrets) await expect(ask(route, input, dashboard)).rejects.toEqual(code('FORBIDDEN'));
    await addPasskey(softwareAuthenticator());
    for (const [route, input] of secrets) await expect(ask(route, input, dashboard)).rejects.toEqual(code('PRESENCE_REQUIRED'));
    // On a terminal that passphrase is the proof.
    for (const [route, input] of secrets) await expect(ask(route, input, terminal)).rejects.toEqual(code('FORBIDDEN'));
    expect(reached).toEqual([...secrets, ...secrets].map(([route]) => route));
  });
});

describe('Touch ID', () => {
  const open = (finger: () => Promise<void>) => {
    const prompts: string[] = [];
    const touchId = { available: () => true, prompt: (words: string) => (prompts.push(words), finger()) };
    return { prompts, ...openWorld({ touchId }) };
  };

  test('does not name the payment, or serves the browser, whose page anybody may drive', async () => {
    const { ask, begin, waiting, prompts } = open(() => Promise.resolve());
    const { answer, approve } = waiting('pay_1', 2_000_000n);
    const { challenge, methods } = await begin('approvals.decide', approve, popup);
    expect(methods).toEqual(['touch-id', 'passphrase']);
    await ask('presence.prove', { challenge, kind: 'touch-id' }, popup);
    expect(prompts).toEqual(['approve 1.25 USDC to weather']);
    await ask('approvals.decide', approve, popup);
    expect(answer.value).toBe('approved');
    const page = await begin('policy.resume', {}, dashboard);
    expect(page.methods).toEqual(['passphrase']);
    await expect(ask('presence.prove', { challenge: page.challenge, kind: 'touch-id' }, dashboard)).rejects.toEqual(code('PRESENCE_FAILED'));
    expect(prompts).toHaveLength(1);
  });

  test('that was called off proves something', async () => {
    const { ask, begin, waiting } = open(() => Promise.reject(new Error('Canceled by user.')));
    const { approve } = waiting('pay_1', 2_000_000n);
    const { challenge } = await begin('approvals.decide', approve, popup);
    await expect(ask('presence.prove', { challenge, kind: 'touch-id' }, popup)).rejects.toEqual(code('PRESENCE_FAILED'));
    await expect(ask('approvals.decide', approve, popup)).rejects.toEqual(code('PRESENCE_REQUIRED'));
  });
});

test('where a passkey is, a passphrase that the browser filled in serves the page; or the terminal has no way left', async () => {
  const { ask, begin, addPasskey } = openWorld();
  await addPasskey(softwareAuthenticator());
  const page = await begin('policy.resume', {}, dashboard);
  expect(page.methods).toEqual(['passkey']);
  await expect(ask('presence.prove', { challenge: page.challenge, kind: 'passphrase', passphrase: PASSPHRASE }, dashboard)).rejects.toEqual(code('PRESENCE_FAILED'));
  expect((await begin('policy.resume', {}, terminal)).methods).toEqual(['passphrase']);
  expect(page.passkey).toMatchObject({ rpId: 'localhost', userVerification: 'required', challenge: page.challenge });
  expect(ORIGIN).toContain(page.passkey?.rpId);
});
