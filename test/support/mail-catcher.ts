import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it came over the wire. */
export interface CaughtMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

export interface MailCatcher {
  readonly port: number;
  /** In the order in which they came. */
  readonly caught: readonly CaughtMail[];
  close(): Promise<void>;
}

/** A real SMTP server on this machine, without TLS, that takes every mail and delivers none. */
export async function startMailCatcher(options: SMTPServerOptions = {}): Promise<MailCatcher> {
  const caught: CaughtMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData(stream, { envelope }, done) {
      let text = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (text += part));
      stream.on('end', () => {
        caught.push({ from: envelope.mailFrom === false ? '' : envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address), text });
        done();
      });
    },
    ...options,
  });
  // What goes wrong on a connection is the sender's to report.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  if (!listening.listening) await once(listening, 'listening');
  return { port: (listening.address() as AddressInfo).port, caught, close: () => new Promise<void>((resolve) => server.close(resolve)) };
}

/** The text of a mail, its soft line breaks taken out. */
export const unfolded = ({ text }: CaughtMail): string => text.replace(/=\r?\n/g, '').replace(/=3D/g, '=');

/** The claim link in a mail. Throws where there is none. */
export function claimLinkIn(mail: CaughtMail): string {
  const [link] = /https?:\/\/[^\s"<>#]+#1\.[\w-]+\.[0-9a-f]{8}/.exec(unfolded(mail)) ?? [];
  if (link === undefined) throw new Error('the mail holds no claim link');
  return link;
}
