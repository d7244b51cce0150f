import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/json/canonical.ts';
import type { Clock, RandomBytes } from '../../core/ports.ts';
import type { PresenceChallenge, PresenceMethod, PresenceProof } from '../../shared/contract/presence.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { Caller } from '../rpc/caller.ts';
import { CEREMONY_MS, type Passkeys } from './passkeys.ts';

/** One act: a route with the very input that it is sent. */
export interface Act {
  readonly route: string;
  readonly input: unknown;
}

/** The system's own question for the person's finger (macOS). */
export interface TouchId {
  available(): boolean;
  /** Rejects where the person did not confirm. `words` complete the sentence "Bursar is trying to …". */
  prompt(words: string): Promise<void>;
}

/** Proof that the owner is there, for one act on one connection, once. */
export interface Presence {
  /** How this caller can prove it, the best one first; empty until a passphrase is set, and on a page whose passkeys cannot be trusted. */
  methods(caller: Caller): readonly PresenceMethod[];
  /** Throws `OWNER_REQUIRED` where nothing could prove it yet, `LEDGER_TAMPERED` where a passkey could that is not to be trusted. */
  begin(act: Act, caller: Caller): PresenceChallenge;
  /** Throws `PRESENCE_STALE`, `PRESENCE_FAILED`, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`. */
  prove(proof: PresenceProof, caller: Caller): Promise<void>;
  /** Uses the act's proof up; the returned function gives it back, where nothing came of the act. Throws `PRESENCE_REQUIRED`, `OWNER_REQUIRED`. */
  take(act: Act, caller: Caller): () => void;
}

export interface PresencePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomBytes;
  readonly passkeys: Pick<Passkeys, 'list' | 'request' | 'verify'>;
  /** False while the ledger was changed from outside: then so may the policy, which says what passkeys count. */
  readonly sound: () => boolean;
  readonly passphraseSet: () => boolean;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`. */
  readonly verifyPassphrase: (passphrase: string) => Promise<void>;
  readonly touchId?: TouchId;
  /** What is done, for the system's question. */
  readonly describe: (act: Act) => string;
}

/** How long a proven act may wait to be done: its request has to be on screen for a second again. */
const PROVEN_MS = 60_000;
/** Challenges that may be open at a time; the oldest is forgotten for one more. */
const MOST_OPEN = 32;

interface Open {
  /** For the system's question. The act itself is not kept: it may hold a passphrase. */
  readonly words: string;
  readonly key: string;
  readonly connection: string;
  readonly expiresAt: number;
}

export function createPresence({ clock, random, passkeys, sound, passphraseSet, verifyPassphrase, touchId, describe }: PresencePorts): Presence {
  /** By challenge. */
  const open = new Map<string, Open>();
  /** Until when, by connection and act. */
  const proven = new Map<string, number>();

  const forgetOld = (): void => {
    const now = clock.now();
    for (const [challenge, { expiresAt }] of open) if (expiresAt <= now || open.size >= MOST_OPEN) open.delete(challenge);
    for (const [key, until] of proven) if (until <= now) proven.delete(key);
  };

  function methods({ host, surface, origin }: Caller): readonly PresenceMethod[] {
    if (!passphraseSet()) return [];
    // An agent may drive this page, and a browser may fill in what it has stored: where there is a passkey, a passphrase is for the terminal.
    if (host === 'headless' && origin !== undefined && passkeys.list().length > 0) return sound() ? ['passkey'] : [];
    const isWindow = host === 'electron' && (surface === 'dashboard' || surface === 'approval');
    return isWindow && touchId?.available() === true ? ['touch-id', 'passphrase'] : ['passphrase'];
  }

  const requireMethods = (caller: Caller): readonly PresenceMethod[] => {
    const found = methods(caller);
    if (found.length === 0 && passphraseSet()) throw new BursarError('LEDGER_TAMPERED', 'The ledger is not as Bursar left it, and with it perhaps which passkeys count: nothing is proven on this page.', { hint: 'Look and accept on a terminal: bursar ledger' });
    if (found.length === 0) throw new BursarError('OWNER_REQUIRED', 'This takes proof that you are there, and no passphrase is set yet.', { hint: 'Set a passphrase first.' });
    return found;
  };

  async function check(proof: PresenceProof, { words }: Open, origin: string | undefined): Promise<void> {
    if (proof.kind === 'passphrase') return verifyPassphrase(proof.passphrase);
    if (proof.kind === 'passkey') {
      if (origin === undefined) throw new BursarError('PRESENCE_FAILED', 'A passkey proves something on the page alone.');
      return passkeys.verify({ response: proof.assertion, challenge: proof.challenge, origin });
    }
    try {
      await touchId?.prompt(words);
    } catch (cause) {
      throw new BursarError('PRESENCE_FAILED', 'Touch ID was not confirmed.', { cause });
    }
  }

  return {
    methods,

    begin(act, caller) {
      const found = requireMethods(caller);
      forgetOld();
      const key = keyOf(act, caller);
      const challenge = sha256('bursar presence 1', Buffer.from(random(32)).toString('hex'), key).toString('base64url');
      const expiresAt = clock.now() + CEREMONY_MS;
      open.set(challenge, { words: touchId ? describe(act) : '', key, connection: caller.connection, expiresAt });
      return { challenge, expiresAt, methods: [...found], ...(found.includes('passkey') && { passkey: passkeys.request(challenge) }) };
    },

    async prove(proof, caller) {
      const { challenge, kind } = proof;
      const found = open.get(challenge);
      if (!found || found.connection !== caller.connection || found.expiresAt <= clock.now()) throw new BursarError('PRESENCE_STALE', 'That proof was asked for too long ago, or was used already.');
      // Taken out before it is looked at: two answers at once are not both heard.
      open.delete(challenge);
      if (!requireMethods(caller).includes(kind)) throw new BursarError('PRESENCE_FAILED', 'It cannot be proven in this way here.', { context: { kind } });
      await check(proof, found, caller.origin).catch((error: unknown) => {
        if (isBursarError(error, 'PASSPHRASE_WRONG') || isBursarError(error, 'PASSPHRASE_BUSY')) open.set(challenge, found);
        throw error;
      });
      proven.set(found.key, clock.now() + PROVEN_MS);
    },

    take(act, caller) {
      requireMethods(caller);
      const key = keyOf(act, caller);
      const until = proven.get(key);
      proven.delete(key);
      if (until === undefined || until <= clock.now()) throw new BursarError('PRESENCE_REQUIRED', 'This takes proof that you are there.', { context: { route: act.route } });
      return () => void proven.set(key, until);
    },
  };
}

/** Any other connection, route or member of the input makes another key: what was proven for one act serves no other. */
const keyOf = ({ route, input }: Act, { connection }: Caller): string => sha256(connection, route, canonicalJson(JSON.stringify(input))).toString('hex');

/** Each part under its length, so that two lists of parts never read the same. */
function sha256(...parts: readonly string[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest();
}
