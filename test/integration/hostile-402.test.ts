import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RetryEdit } from '../../src/core/challenges/answer.ts';
import { requireDialect } from '../../src/core/challenges/registry.ts';
import type { Outcome } from '../../src/core/payments/call.ts';
import { REGISTERED } from '../../src/core/registry/assets.ts';
import type { NetworkId } from '../../src/core/registry/networks.ts';
import { ERROR_CODES } from '../../src/shared/errors/codes.ts';
import { isBursarError } from '../../src/shared/errors/errors.ts';
import { answerOf, hostileCases, type CaseIntent, type HostileCase } from '../support/hostile-cases.ts';
import { signedIn, type Domain } from '../support/signed-proofs.ts';
import { createSigningWorld, type SigningWorld } from '../support/signing-world.ts';

/**
 * Servers that try to be paid otherwise than their terms say. Everything between the answer and the signature is the real code, and the
 * owner approves whatever is asked: what protects here is that nothing else is signed (I1, I2, I10).
 */

const CLASSES = 18;
const cases = hostileCases();
const known = ({ dialect }: HostileCase): boolean => {
  try {
    return requireDialect(dialect).id === dialect;
  } catch (error) {
    if (isBursarError(error, 'INTERNAL')) return false;
    throw error;
  }
};

/** What stands in no text that people or agents read. */
const UNREADABLE = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

let world: SigningWorld;
beforeEach(async () => {
  world = await createSigningWorld();
});
afterEach(() => world.close());

/** The token's domain as the registry has it. */
function domainOf({ network, asset }: CaseIntent): Domain | undefined {
  const { eip712 } = REGISTERED.find(network as NetworkId, asset) ?? {};
  return eip712 && { ...eip712, chainId: Number(network.split(':')[1]), verifyingContract: asset as Domain['verifyingContract'] };
}

async function play({ calls, dialect }: HostileCase): Promise<{ outcome: Outcome; edits: RetryEdit[] }> {
  const solana = world.accounts[1]!.address;
  const edits: RetryEdit[] = [];
  let outcome: Outcome = { kind: 'pass' };
  for (const { answer, retries } of calls) {
    const left = [...retries];
    outcome = await world.pay({
      upstream: 'shop',
      tool: 'forecast',
      argumentsText: '{"city":"Berlin"}',
      answer: answerOf(answer, solana),
      lastDialect: dialect,
      retry: async (edit) => {
        edits.push(edit);
        const next = left.shift();
        if (!next) throw new Error('sent more often than the case allows');
        return answerOf(next, solana);
      },
    });
    if (outcome.kind === 'answer') outcome.delivered(true);
  }
  return { outcome, edits };
}

test('the corpus has lost a class, or a class its variety', () => {
  const counts = new Map<string, number>();
  for (const { class: name } of cases) counts.set(name, (counts.get(name) ?? 0) + 1);
  expect([...counts.values()].every((count) => count >= 3)).toBe(true);
  expect([counts.size, cases.length >= 90]).toEqual([CLASSES, true]);
});

describe.each(cases.filter(known))('$name', (hostile) => {
  const { expect: wanted, trick } = hostile;

  test(`I2: something else is signed than was asked for, or nobody is told why: ${trick}`, async () => {
    const { outcome, edits } = await play(hostile);

    // Whatever left the wallet is this one intent, and it was signed once.
    const intent = wanted.intent;
    expect(world.signatures, 'number of signatures').toBeLessThanOrEqual(intent ? 1 : 0);
    for (const edit of edits) {
      const signed = await signedIn(edit, intent && domainOf(intent));
      expect(signed).toHaveLength(1);
      const [transfer] = signed;
      const payer = world.accounts[0]!.address;
      expect(transfer).toMatchObject({ kind: 'eip3009', amount: intent?.amount, to: intent?.payee, from: payer, signer: payer });
      expect(transfer!.validBefore! * 1000 - world.clock.now()).toBeLessThanOrEqual(600_000 + 2_000);
    }
    for (const row of world.rows()) {
      if (row.proofText === '') continue;
      expect(row.terms).toMatchObject({ ...intent, amount: BigInt(intent?.amount ?? -1) });
      expect(row.money, 'the chain alone says that money moved (I5)').toBe('outstanding');
    }

    if (wanted.outcome !== 'any') expect(outcome.kind).toBe(wanted.outcome);
    if (wanted.outcome !== 'pass' && wanted.outcome !== 'any' && intent) expect(world.signatures).toBe(1);
    if (outcome.kind !== 'refusal') return;

    // A typed error and a text that people can read, for the agent and in the owner's history (I9).
    const { code, message, hint } = outcome.error;
    if (wanted.code !== undefined) expect(wanted.code.split('|')).toContain(code);
    expect(code).not.toBe('INTERNAL');
    expect(Object.keys(ERROR_CODES)).toContain(code);
    expect(message).toContain('"shop"');
    if (wanted.words !== undefined) expect(message).toMatch(new RegExp(wanted.words));
    expect(message.length).toBeLessThan(2100);
    expect(hint).not.toBe('');
    expect(UNREADABLE.test(message.replaceAll('\n', '')), message).toBe(false);
    expect(world.rows()[0]).toMatchObject({ reason: { code } });
    expect(UNREADABLE.test(world.rows()[0]!.reason.text.replaceAll('\n', ''))).toBe(false);
  });
});
