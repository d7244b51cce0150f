import type { Environment } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Db } from './database.ts';
import { sha256 } from './row-digest.ts';

/** The settings that are guarded with the ledger. */
export interface GuardedSettings {
  /** The kind of money, which a data folder never changes. */
  readonly environment: Environment;
  /** As they are in force: equal settings have equal texts. */
  text(): string;
  /** Puts others in force, durably. */
  put(text: string): void;
  /** What differs between two texts, as sentences for the owner. */
  changes(before: string, after: string): readonly string[];
}

/** Compares the settings in force with those that the owner set or accepted. */
export interface SettingsWatch {
  /** `noted` is what lies with the keys; without it, what is in force is taken, unless a ledger in use says by its copy that there was one. */
  compare(noted: string | undefined, inUse: boolean): void;
  /** For the keys: hash of what the owner set or accepted; undefined before the first comparison. */
  readonly hash: string | undefined;
  /** True where something was changed from outside, and a copy of what the owner had set is there. */
  readonly canPutBack: boolean;
  /** What was changed from outside, as sentences for the owner. */
  findings(): readonly string[];
  /** Throws `SETTINGS_CHANGED` where something was. */
  require(): void;
  /** Takes what is in force. Returns the way back. */
  take(): () => void;
  /** The keys know of what was taken last: it alone is kept as a copy. */
  settled(): void;
  /** Puts back what the owner had set. Throws `NOT_FOUND` where nothing was changed, or no copy is left. */
  putBack(): void;
}

const LOST = 'The keys no longer say which RPC servers, facilitators, settlers and claim page you had set. Look into config.json before you accept it.';

const hashOf = (text: string): string => sha256(text).toString('hex');

export function createSettingsWatch(db: Db, settings: GuardedSettings): SettingsWatch {
  const find = db.prepare<[string], string>('SELECT text FROM guarded_settings WHERE hash = ?').pluck();
  const add = db.prepare<[string, string]>('INSERT INTO guarded_settings (hash, text) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET text = excluded.text');
  const any = db.prepare<[], 1>('SELECT 1 FROM guarded_settings LIMIT 1').pluck();
  const drop = db.prepare<[string]>('DELETE FROM guarded_settings WHERE hash <> ?');
  let accepted: string | undefined;
  let found: readonly string[] = [];

  /** The copy counts by its hash alone, which somebody who writes the file cannot choose. */
  const copyOf = (hash: string): string | undefined => {
    const text = find.get(hash);
    return text !== undefined && hashOf(text) === hash ? text : undefined;
  };
  function take(): () => void {
    const before = { accepted, found };
    const text = settings.text();
    const hash = hashOf(text);
    add.run(hash, text);
    accepted = hash;
    found = [];
    return () => ({ accepted, found } = before);
  }

  return {
    compare(noted, inUse) {
      const inForce = hashOf(settings.text());
      if (noted === undefined && inUse && any.get() !== undefined) {
        found = [LOST];
        return;
      }
      // Copied once the keys know of it: a run that is cut short between the two would find that they forgot.
      if (noted === undefined || noted === inForce) {
        accepted = inForce;
        return;
      }
      const before = copyOf(noted);
      accepted = noted;
      const what = before === undefined ? [] : settings.changes(before, settings.text());
      found = [`config.json was changed outside Bursar${what.length === 0 ? '.' : `. ${what.join(' ')}`}`];
    },
    get hash() {
      return accepted;
    },
    get canPutBack() {
      return found.length > 0 && accepted !== undefined && copyOf(accepted) !== undefined;
    },
    findings: () => found,
    require() {
      const [finding] = found;
      if (finding !== undefined) throw new BursarError('SETTINGS_CHANGED', finding);
    },
    take,
    settled() {
      if (accepted === undefined) return;
      const text = settings.text();
      if (hashOf(text) === accepted) add.run(accepted, text);
      drop.run(accepted);
    },
    putBack() {
      const before = found.length === 0 || accepted === undefined ? undefined : copyOf(accepted);
      if (before === undefined) throw new BursarError('NOT_FOUND', found.length === 0 ? 'No setting was changed outside Bursar.' : 'No copy of the settings is left that were changed.', { hint: found.length === 0 ? 'Nothing needs to be done.' : 'Set them again in config.json while Bursar is off, or accept them as they are.' });
      settings.put(before);
      found = [];
    },
  };
}
