import { bytesToHex } from '@noble/hashes/utils.js';
import { stringifyJson } from '../json/json.ts';
import type { RandomBytes } from '../ports.ts';
import type { PaidCall } from './call.ts';
import type { Choice } from './choose-offer.ts';
import { offersText, type ConsideredOffer } from './considered.ts';
import type { Demand } from './intent.ts';
import type { NewPayment } from './payment.ts';
import { termsDigest } from './terms.ts';

const MAX_ARGUMENTS_CHARACTERS = 65_536;

/** A row as it begins, with as much as is known: the call alone, the challenge too, or the chosen offer as well. */
export function newPayment(known: { random: RandomBytes; call: PaidCall; demand?: Demand; choice?: Choice; considered?: readonly ConsideredOffer[]; policyNumber: number }): NewPayment {
  const { call, demand, choice } = known;
  return {
    id: `pay_${bytesToHex(known.random(12))}`,
    client: call.client,
    upstream: call.upstream,
    tool: call.tool,
    callKey: demand?.callKey ?? '',
    // The call key and the terms hold a hash of all of it; the row keeps what a person could read.
    argumentsText: call.argumentsText.slice(0, MAX_ARGUMENTS_CHARACTERS),
    dialect: demand?.challenge.dialect ?? '',
    challengeText: demand ? stringifyJson(demand.challenge.source) : (call.answer.text || (call.answer.http?.body ?? '')).slice(0, 65_536),
    ...(choice && { terms: choice.terms }),
    termsDigest: choice ? termsDigest(choice.terms) : '',
    offerText: choice ? stringifyJson(choice.offer.source) : '',
    offersText: offersText(choice?.considered ?? known.considered ?? []),
    decision: 'waiting',
    money: 'none',
    service: 'open',
    reason: { code: '', text: '' },
    rule: '',
    policyNumber: known.policyNumber,
  };
}
