import { randomBytes, type KeyObject } from 'node:crypto';
import type { Clock, Integrity, Log } from '../../../core/ports.ts';
import { LONGEST_REACH_MS } from '../../../core/policy/windows.ts';
import type { LedgerCause } from '../../../shared/contract/ledger.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { LedgerKeys } from '../keys/ledger-keys.ts';
import { acceptLedger, noteAcceptance } from './accept.ts';
import { decodeAnchor } from './anchor.ts';
import { createAnchorKeeper } from './anchor-keeper.ts';
import type { Audited } from './audit.ts';
import { createAuditor } from './auditor.ts';
import { createChain, tampered } from './chain.ts';
import { createCheckpoints } from './checkpoint.ts';
import { useMoved, useSum, type UseSum } from './use-set.ts';
import type { Db } from './database.ts';
import { adoptionFindings, inspect } from './inspect.ts';
import type { LedgerGuard } from './ledger-guard.ts';
import { policyHead, type PolicyHead } from './policy-chain.ts';
import { otherMoney, restoredWords } from './integrity-words.ts';
import { createSettingsWatch, type GuardedSettings } from './settings-watch.ts';

/** How long a write of the ledger may wait until the wallet's keeping knows of it. A file put back within it after a kill is not noticed. */
export const ANCHOR_EVERY_MS = 5_000;

/** Watches over ledger and policy for one run of Bursar. */
export interface LedgerIntegrity extends Integrity, LedgerGuard {
  /**
   * Compares the ledger with what the wallet knows of it, and signs it off from now on. Call after every unlock; the first one verifies. Throws
   * `HOME_NETWORK_MISMATCH` where the keys are for another kind of money: nothing may be done with them then.
   */
  open(keys: LedgerKeys): Promise<void>;
  /** True once {@link LedgerIntegrity.open} ran: before, nothing can be signed. */
  readonly verified: boolean;
  /** What was found, as sentences for the owner; none where all is well. */
  findings(): readonly string[];
  /** The worst of what was found. */
  readonly cause: LedgerCause;
  /** True where guarded settings were changed from outside and can be put back, whatever else was found. */
  readonly canPutBack: boolean;
  /** Reads the whole ledger in the background; once more, where it is being read. */
  auditInBackground(): void;
  /** Resolves once every payment was compared with the ledger since the file was last written from outside. Throws what `requireSound` throws. */
  requireWhole(): Promise<void>;
  /** Reads the whole ledger now. */
  audit(): Promise<Audited>;
  /**
   * The owner takes the ledger as it stands; recorded with what was found. Where something was changed from outside the policy cannot be trusted:
   * `policyAnew` puts another in force, in the very transaction that takes the ledger. Where it was only restored from a backup the policy stays.
   * Nothing is paid until the wallet's keeping knows of it. Throws `WALLET_LOCKED`, and what writing there does; all is then refused as before.
   */
  accept(author: string, keys: LedgerKeys, policyAnew: () => void): Promise<void>;
  /**
   * The owner changes guarded settings: `change` writes them, and the keys know of it when this returns. Throws `WALLET_LOCKED`, `LEDGER_TAMPERED`,
   * `SETTINGS_CHANGED`, and what `change` and writing there throw; then they are as they were.
   */
  changeSettings(keys: LedgerKeys, change: () => void): Promise<void>;
  /** Puts back the guarded settings that were changed from outside. Throws `NOT_FOUND`. */
  putSettingsBack(): void;
  /** Ends the audit, and brings what lies with the keys up to date. */
  close(): Promise<void>;
}

export interface IntegrityOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: GuardedSettings;
  /** Called when something was found or accepted. */
  readonly changed: () => void;
}

/** The run's own key, and where ledger and policy stand by it. */
interface Signer {
  readonly epoch: Buffer;
  readonly key: KeyObject;
  /** Uses of budget from this instant on are in the sums (ms). */
  readonly usesSince: number;
  /** As of the last durable commit. */
  signed: Signed;
  /** Of the transaction that runs. */
  pending: Signed;
}

/** What was signed off. */
interface Signed {
  readonly sum: UseSum;
  /** Number of the last event. */
  readonly seq: number;
  readonly policy: PolicyHead;
}

export function createIntegrity({ db, clock, log, settings, changed }: IntegrityOptions): LedgerIntegrity {
  const watch = createSettingsWatch(db, settings);
  const chain = createChain(db);
  const checkpoints = createCheckpoints(db);
  const version = db.prepare<[], number>('PRAGMA data_version').pluck();
  const highWater = db.prepare<[], number>('SELECT high_water FROM journal_clock').pluck();
  const found: string[] = [];
  let alarm = new AbortController();
  let signer: Signer | undefined;
  let seenVersion = version.get();
  /** When the backup was made that this ledger came out of; undefined where that is none, or the owner accepted it. */
  let restored: number | undefined;
  /** What the owner accepts, until the wallet's keeping knows of it. */
  let accepting: string | undefined;

  const raise = (...findings: readonly string[]): void => {
    const news = findings.filter((finding) => !found.includes(finding));
    if (news.length === 0) return;
    found.push(...news);
    for (const finding of news) log.error('ledger tampered', { finding });
    alarm.abort();
    changed();
  };
  const auditor = createAuditor(db, raise);
  const requireSound = (): void => {
    look();
    requireUsable();
  };
  const requireUsable = (): void => {
    const finding = found[0] ?? accepting;
    if (finding !== undefined) throw tampered(finding);
    if (restored !== undefined) throw new BursarError('LEDGER_RESTORED', restoredWords(restored), { context: { restored: String(restored) } });
    watch.require();
  };

  /** Another connection that committed to the file is looked into at once: nobody but this process has to write there. */
  function look(): void {
    const now = version.get();
    if (now === seenVersion) return;
    seenVersion = now;
    const checkpoint = checkpoints.read();
    if (!signer || found.length > 0) return;
    raise(...(checkpoint ? inspect({ db, checkpoint, key: signer.key, tailAllowed: false, now: clock.now() }) : [`The checkpoint of the ledger was taken out of ${db.name} from outside.`]));
    if (found.length === 0) auditor.inBackground();
  }

  function write(by: Signer, head = chain.head()): void {
    const { sum, policy } = by.pending;
    checkpoints.write(by.key, { epoch: by.epoch, head, policy, highWater: highWater.get() ?? 0, usesSince: by.usesSince }, sum);
    by.pending = { sum, policy, seq: head.seq };
  }

  /** From now on this run signs, over what the file says now. */
  function beginEpoch(keys: LedgerKeys): void {
    db.transaction(() => {
      const epoch = randomBytes(16);
      const key = keys.epochKey(epoch);
      // No window that ends from here on reaches further back, and the audit reads the older ones with their payments.
      const usesSince = Math.max(0, (highWater.get() ?? 0) - LONGEST_REACH_MS);
      const signed: Signed = { sum: useSum(db, key, usesSince), seq: chain.head().seq, policy: policyHead(db) };
      signer = { epoch, key, usesSince, signed, pending: signed };
      write(signer);
    }).immediate();
    seenVersion = version.get();
  }

  const keeper = createAnchorKeeper({
    clock,
    log,
    now: (adopting) => ({ adopting, head: chain.head(), policy: policyHead(db), ...(restored !== undefined && { restored }), ...(watch.hash !== undefined && { settings: watch.hash }), environment: settings.environment }),
    sound: () => signer !== undefined && found.length === 0,
  });

  /** One change of settings at a time. */
  let changing: Promise<void> = Promise.resolve();
  /** Two unlocks at once verify once. */
  let opening: Promise<void> | undefined;
  async function open(keys: LedgerKeys): Promise<void> {
    await opening?.catch(() => undefined);
    keeper.use(keys);
    if (signer || found.length > 0) return keeper.keepSoon(0);
    opening = verify(keys);
    await opening;
  }

  async function verify(keys: LedgerKeys): Promise<void> {
    const bytes = await keys.readAnchor();
    const anchor = bytes && decodeAnchor(bytes);
    // Of another kind less proof is asked of the owner, and what is changed there would hold here too (I7).
    if (anchor?.environment !== undefined && anchor.environment !== settings.environment) throw otherMoney(anchor.environment, settings.environment);
    keeper.known(bytes);
    restored = anchor?.restored;
    const checkpoint = checkpoints.read();
    watch.compare(anchor?.settings, checkpoint !== undefined);
    for (const finding of watch.findings()) log.error('settings changed outside Bursar', { finding });
    const findings = bytes && !anchor ? [`What the wallet noted of the ledger in ${db.name} cannot be read.`] : checkpoint ? against(checkpoint) : anchor && !anchor.adopting ? [`The wallet has seen ${anchor.head.seq} entries of a ledger; ${db.name} is another, new one.`] : adoptionFindings(db);
    raise(...findings);
    if (found.length > 0) return;
    if (!checkpoint) await keeper.keep(keys, true);
    beginEpoch(keys);
    await keeper.keep(keys);
    watch.settled();

    function against(stored: NonNullable<typeof checkpoint>): string[] {
      if (!anchor) return [`The wallet no longer holds what it noted of the ledger in ${db.name}.`];
      return inspect({ db, checkpoint: stored, key: keys.epochKey(stored.epoch), anchor, tailAllowed: true, now: clock.now() });
    }
  }

  async function changeSettings(keys: LedgerKeys, change: () => void): Promise<void> {
    // Before the first unlock of all there are no keys that could know of it: the unlock takes what is in force then.
    if (!signer && found.length === 0 && !adopted()) return change();
    // Throws while locked, before anything is changed.
    keys.epochKey(Buffer.alloc(0));
    if (found.length > 0) throw tampered(found[0]!);
    if (!signer) throw locked('These settings do not change');
    watch.require();
    const before = settings.text();
    let untake: (() => void) | undefined;
    try {
      change();
      untake = watch.take();
      await keeper.idle();
      await keeper.keep(keys);
    } catch (error) {
      untake?.();
      if (settings.text() !== before) settings.put(before);
      throw error;
    }
    watch.settled();
  }

  const locked = (what: string): BursarError => new BursarError('WALLET_LOCKED', `${what} while the ledger is not verified; that takes an unlocked wallet.`);
  const adopted = (): boolean => checkpoints.read() !== undefined;

  return {
    get verified() {
      return signer !== undefined || found.length > 0;
    },
    get alarm() {
      return alarm.signal;
    },
    findings: () => [...found, ...(restored === undefined ? [] : [restoredWords(restored)]), ...watch.findings()],
    get cause() {
      if (found.length > 0) return 'tampered';
      if (restored !== undefined) return 'restored';
      return watch.findings().length > 0 ? 'settings' : 'none';
    },
    get canPutBack() {
      return watch.canPutBack;
    },
    requireSound,
    // What RPC servers say that nobody vouched for is no word of the chain.
    mayRecord: () => found.length === 0 && watch.findings().length === 0 && (signer !== undefined || !adopted()),
    open,
    auditInBackground: auditor.inBackground,
    async requireWhole() {
      requireSound();
      await auditor.whole();
      requireSound();
    },
    async audit() {
      const result = await auditor.read();
      look();
      raise(...result.findings);
      return result;
    },
    async accept(author, keys, policyAnew) {
      // Throws while locked, before anything is changed.
      keys.epochKey(Buffer.alloc(0));
      await keeper.idle();
      const backup = restored;
      const findings = [...found];
      const acceptance = { at: clock.now(), author, findings: [...findings, ...(backup === undefined ? [] : [restoredWords(backup)]), ...watch.findings()] };
      if (findings.length === 0) noteAcceptance(db, acceptance);
      else {
        auditor.anew();
        db.transaction(() => {
          acceptLedger(db, acceptance);
          policyAnew();
        }).immediate();
        beginEpoch(keys);
        found.length = 0;
        alarm = new AbortController();
        keeper.use(keys);
        accepting = findings[0];
      }
      restored = undefined;
      let untake: (() => void) | undefined;
      try {
        untake = watch.take();
        await keeper.keep(keys);
      } catch (error) {
        // The next start would find it all again: until then it is not accepted either.
        restored = backup;
        untake?.();
        raise(...findings);
        throw error;
      } finally {
        accepting = undefined;
      }
      watch.settled();
      log.warn('the owner accepted what was changed from outside', { author, findings: acceptance.findings });
      changed();
    },
    changeSettings(keys, change) {
      const done = changing.then(() => changeSettings(keys, change));
      changing = done.catch(() => undefined);
      return done;
    },
    putSettingsBack() {
      watch.putBack();
      log.warn('the owner put the settings back that were changed outside Bursar');
      changed();
    },
    async close() {
      auditor.stop();
      await keeper.close();
    },

    begin() {
      look();
      if (!signer) return;
      signer.pending = signer.signed;
      if (found.length === 0 && chain.head().seq !== signer.signed.seq) raise(`The end of the ledger in ${db.name} was changed from outside.`);
    },
    moved({ use, at }, before, after) {
      if (signer && at >= signer.usesSince) signer.pending = { ...signer.pending, sum: useMoved(signer.key, signer.pending.sum, use, before, after) };
    },
    mark() {
      const sum = signer?.pending.sum;
      return () => {
        if (signer && sum !== undefined) signer.pending = { ...signer.pending, sum };
      };
    },
    requireReserve: requireUsable,
    requireSpend() {
      requireUsable();
      if (!signer) throw locked('Nothing is signed');
    },
    requireMove(paymentId) {
      const checkpoint = signer ? undefined : checkpoints.read();
      if (checkpoint && (chain.firstSeqOf(paymentId) ?? 0) <= checkpoint.head.seq) throw locked('The money of an older payment does not move');
    },
    requirePolicyChange() {
      look();
      if (found.length > 0) throw tampered(found[0]!);
      if (!signer && adopted()) throw locked('The policy does not change');
    },
    policySaved(head) {
      if (!signer || found.length > 0) return;
      signer.pending = { ...signer.signed, policy: head };
      write(signer);
    },
    sign() {
      // A transaction that only read leaves the file as it is.
      if (!signer || found.length > 0) return;
      const head = chain.head();
      if (head.seq !== signer.signed.seq) write(signer, head);
    },
    committed() {
      if (!signer || found.length > 0) return;
      const { signed, pending } = signer;
      signer.signed = pending;
      if (pending.policy !== signed.policy) keeper.keepSoon(0);
      else if (pending.seq !== signed.seq) keeper.keepSoon(ANCHOR_EVERY_MS);
    },
    raise,
  };
}
