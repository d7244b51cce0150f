import { z } from 'zod';
import type { ClientKind } from '../../shared/contract/clients.ts';
import { isBursarError } from '../../shared/errors/errors.ts';
import { newToken, type ClientStore } from '../adapters/store/clients.ts';
import { TOKEN_VARIABLE } from '../program-files.ts';
import type { ClientFile } from './client-file.ts';
import { readConfigFile, textOf } from './config-file.ts';
import { serversIn } from './config-text.ts';

const WithToken = z.looseObject({ env: z.looseObject({ [TOKEN_VARIABLE]: z.string() }) });

/** The tokens with which registered clients prove themselves: each stands in its client's own file and nowhere else. */
export interface ClientTokens {
  /** The token that the file has, where it is the client's, else a new one, which is the same until it is kept. */
  offer(kind: ClientKind, file: ClientFile): Promise<string>;
  /** The offered token was written: from now on it proves the client. */
  keep(kind: ClientKind): void;
  /** Ends the client's token where none of its file's entries has it any more. */
  release(kind: ClientKind, file: ClientFile): Promise<void>;
}

export interface ClientTokensDeps {
  readonly clients: ClientStore;
  /** The credential of a client ended. */
  readonly ended: (client: string) => void;
}

export function createClientTokens({ clients, ended }: ClientTokensDeps): ClientTokens {
  /** Tokens that were shown in a preview and stand in no file yet. */
  const offered = new Map<ClientKind, string>();
  const heldIn = async (kind: ClientKind, file: ClientFile): Promise<string | undefined> => (await tokensIn(file)).find((token) => clients.authenticate(token)?.name === kind);

  return {
    async offer(kind, file) {
      const held = await heldIn(kind, file);
      if (held !== undefined) {
        offered.delete(kind);
        return held;
      }
      const token = offered.get(kind) ?? newToken();
      offered.set(kind, token);
      return token;
    },
    keep(kind) {
      const token = offered.get(kind);
      if (token === undefined) return;
      offered.delete(kind);
      clients.setToken(kind, token);
    },
    async release(kind, file) {
      const client = clients.find(kind);
      if (!client || (await heldIn(kind, file)) !== undefined) return;
      clients.remove(client.id);
      ended(kind);
    },
  };
}

/** Every token of Bursar's in the file; none where it cannot be read. */
async function tokensIn({ path, shape }: ClientFile): Promise<readonly string[]> {
  try {
    return Object.values(serversIn(textOf(await readConfigFile(path)), shape)).flatMap((entry) => {
      const parsed = WithToken.safeParse(entry);
      return parsed.success ? [parsed.data.env[TOKEN_VARIABLE]] : [];
    });
  } catch (error) {
    if (isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) return [];
    throw error;
  }
}
