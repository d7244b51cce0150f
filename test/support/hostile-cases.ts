import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerAnswer } from '../../src/core/challenges/answer.ts';

/** One answer of a hostile server: a JSON-RPC response, its raw text where it is no clean JSON, or an HTTP answer. */
export type CaseAnswer =
  | { readonly rpc: object }
  | { readonly text: string }
  | { readonly http: { readonly status: number; readonly headers: Readonly<Record<string, string | { readonly base64: string } | { readonly base64Json: unknown }>>; readonly body: string } };

/** What is bought, and from whom. */
export interface CaseIntent {
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payee: string;
}

export interface HostileCase {
  /** Folder and file. */
  readonly name: string;
  readonly class: string;
  /** Id of the dialect that the server speaks. */
  readonly dialect: string;
  readonly trick: string;
  /** One call after the other, each with the answers to its paid retries. */
  readonly calls: readonly { readonly answer: CaseAnswer; readonly retries: readonly CaseAnswer[] }[];
  readonly expect: {
    /** Of the last call. `any`: refused or paid, but nothing other than `intent` is signed. */
    readonly outcome: 'refusal' | 'answer' | 'pass' | 'any';
    /** Codes of the refusal, divided by `|`. */
    readonly code?: string;
    readonly words?: string;
    /** What is signed, once; nothing is where it is absent. */
    readonly intent?: CaseIntent;
  };
}

const FOLDER = fileURLToPath(new URL('../fixtures/hostile-402', import.meta.url));

export const hostileCases = (): readonly HostileCase[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .toSorted()
    .map((path) => ({ ...(JSON.parse(readFileSync(join(FOLDER, path), 'utf8')) as Omit<HostileCase, 'name' | 'class'>), name: path.replace(/\.json$/, ''), class: path.split(/[\\/]/)[0] ?? '' }));

/**
 * What a case's answer is on the wire. Texts that would be too large for a file are written as `@pad 1000` and the like, and are grown here.
 * `solanaPayer` is the address of this wallet.
 */
export function answerOf(answer: CaseAnswer, solanaPayer: string): ServerAnswer {
  const whole = (text: string) => grow(text.replaceAll('@solanaPayer', solanaPayer));
  if ('rpc' in answer) return { text: whole(JSON.stringify(answer.rpc)) };
  if ('text' in answer) return { text: whole(answer.text) };
  const { status, headers, body } = answer.http;
  const written = Object.entries(headers).map(([name, value]) => [name, [typeof value === 'string' ? value : 'base64' in value ? value.base64 : Buffer.from(JSON.stringify(value.base64Json)).toString('base64')]] as const);
  return { text: '', http: { status, headers: Object.fromEntries(written), body: whole(body) } };
}

const OFFER = '{"scheme":"exact","network":"eip155:84532","amount":"1","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60}';

const GROWN: Readonly<Record<string, (count: number) => string>> = {
  nest: (count) => '['.repeat(count) + ']'.repeat(count),
  nestObjects: (count) => `${'{"a":'.repeat(count)}1${'}'.repeat(count)}`,
  open: (count) => '['.repeat(count),
  keys: (count) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`,
  offers: (count) => `[${Array.from({ length: count }, () => OFFER).join(',')}]`,
};

const grow = (text: string): string =>
  text
    .replace(/"@(nest|nestObjects|open|keys|offers) (\d+)"/g, (_, kind: string, count: string) => GROWN[kind]!(Number(count)))
    .replace(/@pad (\d+)/g, (_, count: string) => 'x'.repeat(Number(count)));
