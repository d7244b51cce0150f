import type { Command } from 'commander';
import type { AuthorizationView } from '../../shared/contract/upstreams.ts';
import { openBrowser } from './open-browser.ts';
import { oneLine } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface AuthorizeOptions {
  readonly json?: boolean;
  readonly browser: boolean;
  readonly within: number;
}

/** `bursar upstream authorize | sign-out`. */
export function addUpstreamAuthCommands(upstream: Command, { withConnection, print }: CommandTools, seconds: (text: string) => number): void {
  upstream
    .command('authorize')
    .description('sign in to a server (OAuth): opens its page in your browser and waits for the end of it; the browser has to run on this machine')
    .argument('<name>')
    .option('--no-browser', 'print the address alone')
    .option('--within <seconds>', 'how long to wait', seconds, 600)
    .option(...JSON_OPTION)
    .action((name: string, { json, browser, within }: AuthorizeOptions) =>
      withConnection(async ({ request }) => {
        const { url } = await request('upstreams.authorize', { name });
        if (url !== '') {
          // With --json the object at the end is all of the output.
          process.stderr.write(`Open this page in a browser on this machine, and sign in:\n${url}\n`);
          if (browser) openBrowser(url);
        }
        const authorization = await request('upstreams.authorized', { name, withinSeconds: within });
        print(json, { name, authorization }, () => authorizedLines(name, authorization));
      }),
    );
  upstream
    .command('sign-out')
    .description('forget the tokens of a server')
    .argument('<name>')
    .option(...JSON_OPTION)
    .action((name: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('upstreams.signOut', { name });
        print(json, { name, signedOut: true }, () => [`Bursar has no tokens of ${name} any more.`]);
      }),
    );
}

const authorizedLines = (name: string, { state, issuer, scope }: AuthorizationView): readonly string[] =>
  state === 'signed-in' || state === 'automatic'
    ? [`Signed in to ${name}${issuer === '' ? '' : ` at ${oneLine(issuer)}`}.`, ...(scope === '' ? [] : [`Granted: ${oneLine(scope)}`])]
    : [`Not signed in to ${name} yet. The page stays valid for ten minutes while Bursar runs.`];
