import { z } from 'zod';
import type { Sealer } from '../keys/sealer.ts';
import type { Db } from './database.ts';

/** The owner's mail server. */
export const MailSettings = z.object({
  host: z.string(),
  port: z.number(),
  /** TLS from the first byte (465); without it STARTTLS, which is required unless `plain`. */
  secure: z.boolean(),
  /** A server on this machine that speaks no TLS. */
  plain: z.boolean(),
  user: z.string(),
  password: z.string(),
  from: z.string(),
});
export type MailSettings = z.infer<typeof MailSettings>;

/** One row, sealed as a whole under the wallet's data key. `get` and `set` throw `WALLET_LOCKED`. */
export interface MailStore {
  get(): Promise<MailSettings | undefined>;
  set(settings: MailSettings): Promise<void>;
  remove(): void;
}

export function createMailStore(db: Db, sealer: Sealer): MailStore {
  const read = db.prepare<[], Uint8Array>('SELECT sealed FROM mail_settings WHERE id = 1').pluck();
  const write = db.prepare<[Uint8Array]>('INSERT INTO mail_settings (id, sealed) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed');
  const remove = db.prepare('DELETE FROM mail_settings');
  return {
    async get() {
      const sealed = read.get();
      return sealed && MailSettings.parse(JSON.parse(await sealer.open(sealed, CONTEXT)));
    },
    async set(settings) {
      write.run(await sealer.seal(JSON.stringify(settings), CONTEXT));
    },
    remove: () => void remove.run(),
  };
}

const CONTEXT = 'mail';
