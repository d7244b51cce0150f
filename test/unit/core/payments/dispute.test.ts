import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { disputeMarkdown, disputePacket } from '../../../../src/core/payments/dispute.ts';
import { DisputePacket } from '../../../../src/shared/contract/payments.ts';
import { createWorld, PAYEE } from '../../../support/payment-world.ts';

const failed = (text: string) => async () => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text }] } });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function undelivered(words = 'out of paper') {
  const world = createWorld({ policy: { otherwise: 'allow' } });
  world.chain.set('0', { state: 'settled', transaction: '0xfeed', final: true });
  await world.call([failed(words), failed(words)]).outcome;
  await world.clock.advance(1000);
  return { world, packet: () => disputePacket(world.row(), world.history.timeline(world.row().id), world.clock.now()) };
}

describe('a dispute packet', () => {
  test('I9: a paid call without an answer leaves its owner without the evidence', async () => {
    const { world, packet } = await undelivered();
    const made = packet();
    expect(DisputePacket.parse(made)).toEqual(made);
    expect(made).toMatchObject({ status: 'undelivered', transaction: '0xfeed', final: true, reason: { code: 'PAID_NOT_DELIVERED' }, terms: { amount: '10000', payee: PAYEE, upstream: 'weather', tool: 'forecast' } });
    expect(made.timeline.map(({ kind }) => kind)).toEqual(['challenged', 'signed', 'observed', 'resent', 'failed']);
    for (const key of ['challenge', 'offer', 'proof'] as const) expect(made.hashes[key]).toBe(sha256(made[key]));
    expect(made.hashes.terms).toBe(world.row().termsDigest);
    const page = disputeMarkdown(made);
    for (const part of ['# Payment', 'undelivered', '0xfeed', PAYEE, '10000', 'out of paper', '**resent**', made.hashes.proof, made.challenge]) expect(page).toContain(part);
  });

  test('a proof that could still collect the money is handed out', async () => {
    const { world, packet } = await undelivered();
    world.chain.clear();
    const open = createWorld({ policy: { otherwise: 'allow' } });
    await open.call([failed('no')]).outcome;
    const made = disputePacket(open.row(), [], 0);
    expect(made.columns.money).toBe('outstanding');
    expect(made.proof).toBe('');
    expect(made.hashes.proof).toBe(sha256(open.row().proofText));
    expect(disputeMarkdown(made)).not.toContain(open.row().proofText);
    expect(packet().proof).not.toBe('');
  });

  test('I6: a secret of the challenge is handed out, or evidence changes where there is none', async () => {
    const { world } = await undelivered();
    const row = world.row();
    const inner = JSON.stringify({ offer: { client_secret: 's3cret' }, n: 1 });
    const challengeText = `{"accepts":[{"clientSecret":"s3cret","webhookSecret":{"a":"s3cret"},"id":9007199254740993}],"text":${JSON.stringify(inner)},"url":"https://pay.example/pi_1_secret_s3cret"}`;
    const made = disputePacket({ ...row, challengeText, offerText: '{"clientSecret":"s3cret"}', receiptText: '{ "secret": "s3cret"}' }, [], 0);
    expect(JSON.stringify(made) + disputeMarkdown(made)).not.toContain('s3cret');
    expect(made.challenge).toContain('9007199254740993');
    expect(made.hashes.challenge).toBe(sha256(challengeText));
    // A challenge that was asked anew leaves the one that the owner saw in the timeline.
    const renewed = { at: 0, kind: 'renewed', detail: `The owner was shown: ${challengeText}` };
    const retold = disputePacket(row, [renewed], 0);
    expect(JSON.stringify(retold) + disputeMarkdown(retold)).not.toContain('s3cret');
    expect(retold.timeline[0]?.detail).toMatch(/^The owner was shown: {"accepts"/);
    const plain = '{ "n" : 1.0, "text": "{ not json" }';
    expect(disputePacket({ ...row, challengeText: plain }, [], 0).challenge).toBe(plain);
  });

  test('a payment that was never signed gets a packet', async () => {
    const world = createWorld({ policy: { otherwise: 'deny' } });
    await world.call([]).outcome;
    expect(() => disputePacket(world.row(), [], 0)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  test('a server writes words of its own into the page', async () => {
    const { packet } = await undelivered();
    const made = packet();
    const part = fc.constantFrom('```', '````', '\n', '# Paid in full', '|', '`', '~~~', '\r', 'a', '<b>');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const text = parts.join('');
        const page = disputeMarkdown({ ...made, receipt: text, terms: { ...made.terms, tool: text }, timeline: [{ at: '', kind: 'failed', detail: text }] });
        const headings = outsideOfFences(page).filter((line) => line.startsWith('#'));
        expect(headings).toEqual(outsideOfFences(disputeMarkdown({ ...made, receipt: 'a' })).filter((line) => line.startsWith('#')));
      }),
    );
  });
});

/** Lines that CommonMark does not read as part of a fenced code block. */
function outsideOfFences(page: string): string[] {
  let fence = '';
  return page.split(/\r\n|\n|\r/).filter((line) => {
    const marks = /^`{3,}/.exec(line)?.[0] ?? '';
    if (fence === '' && marks) return (fence = marks), false;
    if (fence !== '' && line.trim() === marks && marks.length >= fence.length) return (fence = ''), false;
    return fence === '';
  });
}
