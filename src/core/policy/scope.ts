import type { Scope } from '../../shared/policy/policy.ts';
import { claimedName } from './unverified.ts';

/** What a scope is compared with. */
export interface ScopeSubject {
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly network: string;
  readonly payee: string;
  /** Address of the paying account. */
  readonly payer: string;
  /** CAIP-19 id. */
  readonly asset: string;
}

/** True when every member of the scope matches. */
export function covers(scope: Scope, subject: ScopeSubject): boolean {
  return (
    (scope.upstream === undefined || scope.upstream === subject.upstream) &&
    // A claimed name counts in the caps of that name, so that dropping the proof opens no budget.
    (scope.client === undefined || scope.client === subject.client || scope.client === claimedName(subject.client)) &&
    (scope.network === undefined || scope.network === subject.network) &&
    (scope.payee === undefined || sameAddress(scope.payee, subject.payee)) &&
    (scope.account === undefined || sameAddress(scope.account, subject.payer)) &&
    (scope.asset === undefined || sameAsset(scope.asset, subject.asset)) &&
    (scope.tool === undefined || matchesGlob(scope.tool, subject.tool))
  );
}

/** EVM addresses differ by case only in their checksum; all others are exact. */
export const sameAddress = (a: string, b: string): boolean => a === b || (isEvm(a) && isEvm(b) && a.toLowerCase() === b.toLowerCase());

export const sameAsset = (a: string, b: string): boolean => a === b || (a.startsWith('eip155:') && a.toLowerCase() === b.toLowerCase());

const isEvm = (address: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(address);

/** `*` stands for any text, `?` for one character. Goes back at most to the last `*`, so that no pattern takes long. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, next, star, mark] = [0, 0, -1, 0];
  while (at < text.length) {
    const wanted = pattern[next];
    if (wanted === '*') {
      star = next++;
      mark = at;
    } else if (wanted === '?' || wanted === text[at]) {
      next++;
      at++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  while (pattern[next] === '*') next++;
  return next === pattern.length;
}

const NAMES = { upstream: 'server', tool: 'tool', payee: 'payee', client: 'client', account: 'account', asset: 'token', network: 'network' } as const;

/** A scope in words: `server weather, tool fore*`; empty where it matches everything. */
export const scopeWords = (scope: Scope): string =>
  (Object.keys(NAMES) as (keyof typeof NAMES)[]).flatMap((key) => (scope[key] === undefined ? [] : [`${NAMES[key]} ${scope[key]}`])).join(', ');
