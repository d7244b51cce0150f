import { InvalidArgumentError, type Command } from 'commander';
import type { ClaimSettings, EscrowView } from '../../shared/contract/escrows.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { exportClaimPage } from '../claim-page.ts';
import type { Connection } from './connection.ts';
import { askUnseen } from './passphrase.ts';
import { moneyText, table } from './print.ts';
import { quoteLines } from './send-command.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

interface SendOptions {
  readonly token?: string;
  readonly network?: string;
  readonly memo?: string;
  readonly from?: string;
  readonly quote?: boolean;
  readonly json?: boolean;
}

interface MailOptions {
  readonly port?: number;
  readonly tls?: boolean;
  readonly plain?: boolean;
  readonly user?: string;
  readonly from: string;
  readonly json?: boolean;
}

const SENDS = [
  ['send-email', 'email', '<email>', 'send money to an e-mail address: they claim it with a link'],
  ['send-sms', 'sms', '<phone>', 'send money to a phone number (with its country code): they claim it with a link that you text them'],
] as const;

/** `bursar send-email`, `send-sms`, `escrow …`, `claim`. */
export function addEscrowCommands(program: Command, { withConnection, print, command }: CommandTools): void {
  for (const [name, kind, to, description] of SENDS) {
    program
      .command(name)
      .description(description)
      .argument(to)
      .argument('<amount>', 'in whole tokens: 1.50')
      .option('--token <symbol>', 'token; USDC without it')
      .option('--network <network>', 'by its name or CAIP-2 id; one that fits without it')
      .option('--memo <text>', 'what it is for; the recipient reads it')
      .option('--from <address>', 'the account that pays')
      .option('--quote', 'only show what it would cost')
      .option(...JSON_OPTION)
      .action((recipient: string, amount: string, { quote, json, ...options }: SendOptions) =>
        withConnection(async (connection) => {
          const input = { kind, to: recipient, amount, ...options };
          if (quote) {
            const quoted = await connection.request('escrows.quote', input);
            return print(json, quoted, () => quoteLines(quoted));
          }
          requireRunning(connection);
          const sent = await connection.request('escrows.send', input);
          print(json, sent, () => [...escrowLines([sent.escrow]), ...(sent.escrow.state === 'notified' ? [] : [`Nobody was told yet. Show the link with: ${command(`escrow link ${sent.escrow.id}`)}`])]);
        }),
      );
  }

  const escrow = program.command('escrow').description('money that was sent to people without a wallet');
  escrow
    .command('list')
    .description('list the newest, and how they stand')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const listed = await request('escrows.list', {});
        print(json, listed, () => (listed.escrows.length === 0 ? ['Nothing was sent by e-mail or phone yet.'] : escrowLines(listed.escrows)));
      }),
    );
  escrow
    .command('refund')
    .description('take the money back now')
    .argument('<id>', 'esc_…')
    .option(...JSON_OPTION)
    .action((id: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const after = await request('escrows.refund', { id });
        print(json, after, () => escrowLines([after]));
      }),
    );
  escrow
    .command('resend')
    .description('mail the link again')
    .argument('<id>', 'esc_…')
    .option(...JSON_OPTION)
    .action((id: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const after = await request('escrows.resend', { id });
        print(json, after, () => escrowLines([after]));
      }),
    );
  escrow
    .command('link')
    .description('show the link, to send it yourself; whoever has it can take the money')
    .argument('<id>', 'esc_…')
    .option(...JSON_OPTION)
    .action((id: string, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const message = await request('escrows.link', { id });
        print(json, message, () => [message.text, ...[message.mailto, message.sms].filter(Boolean).map((uri) => `Or open: ${uri}`)]);
      }),
    );
  escrow
    .command('page')
    .description('where the claim page lies, and how long money can be claimed')
    .argument('[url]', 'its address; "" for none')
    .option('--days <days>', 'days after which unclaimed money comes back', wholeNumber)
    .option(...JSON_OPTION)
    .action((pageUrl: string | undefined, { days, json }: { days?: number; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const before = await request('escrows.settings', {});
        const isChange = pageUrl !== undefined || days !== undefined;
        const settings = isChange ? await request('escrows.setPage', { pageUrl: pageUrl ?? before.pageUrl, ...(days !== undefined && { expiryDays: days }) }) : before;
        print(json, settings, () => settingLines(settings, command));
      }),
    );

  program
    .command('claim')
    .description('claim money that somebody sent you by a link; "-" reads the link from standard input')
    .argument('<link>')
    .requiredOption('--to <address>', 'your address on the network where the money lies')
    .option(...JSON_OPTION)
    .action((link: string, { to, json }: { to: string; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const claimed = await request('escrows.claim', { link: link === '-' ? await readInput() : link, to });
        print(json, claimed, () => [`Claimed ${moneyText(claimed.money)} on ${claimed.networkName} to ${claimed.to}.`, `Transaction ${claimed.transaction}`]);
      }),
    );
}

/** `bursar claim-page` and `bursar mail …`. */
export function addClaimSettingCommands(program: Command, { withConnection, print, command, pages }: CommandTools & { readonly pages: string }): void {
  program
    .command('claim-page')
    .description('write the claim page into a folder, for any static host')
    .argument('<dir>', 'an empty folder, or one that it was written to before')
    .option('--facilitator <url...>', 'who settles claims, instead of those in force here')
    .option('--rpc <url...>', 'RPC addresses that the page asks, as network=url, instead of those set here')
    .option(...JSON_OPTION)
    .action((folder: string, { facilitator, rpc, json }: { facilitator?: string[]; rpc?: string[]; json?: boolean }) =>
      withConnection(async ({ request }) => {
        const own = await request('escrows.pageConfig', {});
        const config = {
          facilitators: facilitator ? Object.fromEntries(Object.keys(own.facilitators).map((network) => [network, facilitator])) : own.facilitators,
          rpcUrls: rpc ? rpcByNetwork(rpc) : own.rpcUrls,
        };
        const files = await exportClaimPage(folder, { pages, config });
        print(json, { folder, files, config }, () => [`Wrote ${files.length} files to ${folder}. Put them on a static host, then: ${command('escrow page URL')}`, 'The page holds the RPC addresses for everybody to read: leave out those with an API key (--rpc).']);
      }),
    );

  const mail = program.command('mail').description('your mail server, by which claim links are sent');
  mail
    .command('set')
    .description('set it; its password is asked for on the terminal')
    .argument('<host>')
    .option('--port <port>', 'port; 465 with --tls, else 587', wholeNumber)
    .option('--tls', 'TLS from the first byte; STARTTLS without it')
    .option('--plain', 'no TLS, for a server on this machine')
    .option('--user <name>', 'sign in with this name')
    .requiredOption('--from <email>', 'your e-mail address')
    .option(...JSON_OPTION)
    .action((host: string, { port, tls = false, plain = false, user = '', from, json }: MailOptions) =>
      withConnection(async ({ request }) => {
        const password = user === '' ? '' : await askUnseen('Password of the mail account: ');
        const settings = await request('escrows.setMail', { mail: { host, port: port ?? (tls ? 465 : 587), secure: tls, plain, user, password, from } });
        print(json, settings, () => settingLines(settings, command));
      }),
    );
  mail
    .command('test')
    .description('sign in, and send a mail where an address is given')
    .argument('[to]')
    .option(...JSON_OPTION)
    .action((to: string | undefined, { json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        await request('escrows.testMail', to === undefined ? {} : { to });
        print(json, { tested: true }, () => [to === undefined ? 'The mail server let Bursar in.' : `A mail to ${to} is on its way.`]);
      }),
    );
  mail
    .command('remove')
    .description('forget it')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const settings = await request('escrows.setMail', { mail: null });
        print(json, settings, () => settingLines(settings, command));
      }),
    );
}

const escrowLines = (escrows: readonly EscrowView[]): readonly string[] =>
  table(escrows.map(({ id, state, money, recipient, recipientName, expiresAt, deliveryError }) => [id, state, moneyText(money), money.asset.networkName, recipientName === '' ? recipient : `${recipientName} (${recipient})`, `until ${new Date(expiresAt).toISOString().slice(0, 10)}`, deliveryError === '' ? '' : `not mailed: ${deliveryError}`]));

const settingLines = ({ pageUrl, expiryDays, mail }: ClaimSettings, command: CommandTools['command']): readonly string[] => [
  pageUrl === '' ? `No claim page. Write it with: ${command('claim-page DIR')}` : `Claim page: ${pageUrl}`,
  `Money can be claimed for ${expiryDays} days.`,
  mail ? `Mail: ${mail.from} by ${mail.host}:${mail.port}${mail.user === '' ? '' : ` as ${mail.user}`}` : `No mail server: you send the links yourself. Set one with: ${command('mail set HOST --from EMAIL')}`,
];

function requireRunning({ running }: Connection): void {
  if (!running) throw new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is not running here.', { hint: 'Start it with: npm start.' });
}

function rpcByNetwork(given: readonly string[]): Record<string, string[]> {
  const urls: Record<string, string[]> = {};
  for (const one of given) {
    const [, network, url] = /^((?:eip155|solana):[\w-]+)=(https?:.+)$/.exec(one) ?? [];
    if (network === undefined || url === undefined) throw new BursarError('INPUT_INVALID', 'Give RPC addresses as network=url, such as eip155:8453=https://….');
    (urls[network] ??= []).push(url);
  }
  return urls;
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
  return text.trim();
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.');
  return Number(text);
}
