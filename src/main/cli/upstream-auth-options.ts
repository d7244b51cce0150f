import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** Options of `upstream add` that say how tokens are got. A secret comes out of a file: arguments can be read by every program. */
export interface AuthOptions {
  readonly oauth?: boolean;
  readonly clientCredentials?: boolean;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly privateKeyFile?: string;
  readonly algorithm?: 'RS256' | 'PS256' | 'ES256';
  readonly issuer?: string;
  readonly scope?: string;
  readonly callbackPort?: number;
}

export const addAuthOptions = (command: Command, port: (text: string) => number): Command =>
  command
    .option('--oauth', 'you sign in to the server in a browser: upstream authorize NAME')
    .option('--client-credentials', 'Bursar signs in by itself, with an id and a secret or a private key')
    .option('--client-id <id>', 'the client that is registered for Bursar; without it Bursar registers itself')
    .option('--client-secret-file <file>', 'file with the secret of the client')
    .option('--private-key-file <file>', 'file with the private key of the client (PKCS #8, PEM)')
    .addOption(new Option('--algorithm <name>', 'how the private key signs; ES256 by default').choices(['ES256', 'RS256', 'PS256']))
    .option('--issuer <url>', 'the authorization server that the client is registered at; its secret goes nowhere else')
    .option('--scope <scopes>', 'what to ask for; without it what the server wants')
    .option('--callback-port <port>', 'port of http://127.0.0.1:PORT/callback, where the client is registered with one', port);

/** How tokens are got; undefined where nothing of it was said. Throws `INPUT_INVALID`. */
export function authOf({ oauth, clientCredentials, clientId, clientSecretFile, privateKeyFile, algorithm, issuer, scope, callbackPort }: AuthOptions): UpstreamAuth | undefined {
  const more = [clientId, clientSecretFile, privateKeyFile, algorithm, issuer, scope, callbackPort].some((value) => value !== undefined);
  if (!oauth && !clientCredentials) {
    if (more) throw refused('Say with --oauth or --client-credentials how to sign in.');
    return undefined;
  }
  const clientSecret = clientSecretFile === undefined ? {} : { clientSecret: contentOf(clientSecretFile) };
  const shared = { ...clientSecret, ...(scope !== undefined && { scope }) };
  if (oauth) {
    if (clientCredentials || privateKeyFile !== undefined || algorithm !== undefined) throw refused('--oauth does not go with --client-credentials, --private-key-file or --algorithm.');
    return { kind: 'oauth', ...shared, ...(clientId !== undefined && { clientId }), ...(issuer !== undefined && { issuer }), ...(callbackPort !== undefined && { callbackPort }) };
  }
  if (clientId === undefined || issuer === undefined) throw refused('--client-credentials needs --client-id and --issuer.');
  if (callbackPort !== undefined) throw refused('--callback-port is for --oauth.');
  return { kind: 'client-credentials', ...shared, clientId, issuer, algorithm: algorithm ?? 'ES256', ...(privateKeyFile !== undefined && { privateKey: contentOf(privateKeyFile) }) };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new BursarError('INPUT_INVALID', `The file ${path} cannot be read.`, { cause });
  }
}

const refused = (message: string): BursarError => new BursarError('INPUT_INVALID', message, { hint: 'See: upstream add --help' });
