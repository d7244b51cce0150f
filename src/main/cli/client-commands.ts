import { Argument, InvalidArgumentError, type Command } from 'commander';
import { EXECUTE_SCOPE, isScope, LEAST_SCOPE, SCOPES, type Scope } from '../../shared/access/scopes.ts';
import type { ClientAccessView, NewCredential } from '../../shared/contract/client-access.ts';
import { table } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface AddOptions {
  readonly oauth?: boolean;
  readonly scope?: readonly Scope[];
  readonly json?: boolean;
}

/** `bursar client …`. */
export function addClientCommands(program: Command, { withConnection, print, command }: CommandTools): void {
  const client = program.command('client').description('MCP clients: what proves their names, and what they may do');
  client
    .command('list')
    .description('list the clients, what they may do, and when they came last')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('clients.access', {});
        print(json, listed, () => (listed.clients.length === 0 ? [`No client yet. Add one with: ${command('client add NAME')}`] : clientLines(listed.clients)));
      }),
    );
  client
    .command('add')
    .description('add a client: with an API key, or with an id and a secret for the token endpoint; shown once')
    .argument('<name>')
    .option('--oauth', 'OAuth 2.0 client credentials in place of an API key')
    .option('--scope <scope>', `what it may do beside ${LEAST_SCOPE} (repeatable; without it: ${EXECUTE_SCOPE})`, scopeOption)
    .option(...JSON_OPTION)
    .action((name: string, { oauth = false, scope, json }: AddOptions) =>
      withConnection(async ({ request }) => {
        const added = await request('clients.add', { name, credential: oauth ? 'oauth' : 'key', ...(scope && { scopes: [...scope] }) });
        print(json, added, () => credentialLines(added));
      }),
    );
  client
    .command('scopes')
    .description(`say what a client may do from now on; ${LEAST_SCOPE} it always may, and with no scope given nothing else`)
    .argument('<name>')
    .addArgument(new Argument('[scopes...]', 'what it may do').choices(SCOPES))
    .option(...JSON_OPTION)
    .action((name: string, scopes: Scope[], { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const changed = await request('clients.setScopes', { name, scopes });
        print(json, changed, () => [`${name} may now do this: ${changed.scopes.join(' ')}`]);
      }),
    );
  client
    .command('rotate')
    .description('give a client a new key or secret, shown once; the old one ends at once, and what runs with it')
    .argument('<name>')
    .option(...JSON_OPTION)
    .action((name: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const rotated = await request('clients.rotate', { name });
        print(json, rotated, () => credentialLines(rotated));
      }),
    );
  client
    .command('revoke')
    .description('end a client at once: its key or secret, its sessions, and what it has waiting for you')
    .argument('<name>')
    .option(...JSON_OPTION)
    .action((name: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const revoked = await request('clients.revoke', { name });
        print(json, revoked, () => [`Revoked ${name}. Its name is refused until you add it again.`]);
      }),
    );
}

function scopeOption(value: string, before: readonly Scope[] = []): readonly Scope[] {
  if (!isScope(value)) throw new InvalidArgumentError(`It has to be one of ${SCOPES.join(', ')}.`);
  return [...before, value];
}

const clientLines = (clients: readonly ClientAccessView[]): readonly string[] =>
  table(clients.map(({ name, credential, scopes, lastSeen }) => [name, credential === 'key' ? 'API key' : 'OAuth', lastSeen === undefined ? 'never came' : `last came ${new Date(lastSeen).toISOString()}`, scopes.join(' ')]));

const credentialLines = (credential: NewCredential): readonly string[] =>
  credential.credential === 'key'
    ? [credential.token, '', 'Shown this once. Over HTTP it is the bearer token; for a client that starts a command, set it as BURSAR_CLIENT_TOKEN.', `It may do this: ${credential.scopes.join(' ')}`]
    : [
        ...table([
          ['client id', credential.clientId],
          ['client secret', credential.clientSecret],
          ['token endpoint', credential.tokenUrl || 'named once Bursar runs; clients find it by themselves'],
        ]),
        '',
        `The secret is shown this once. It may do this: ${credential.scopes.join(' ')}`,
      ];
