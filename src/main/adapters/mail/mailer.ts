import { createTransport } from 'nodemailer';
import { BursarError } from '../../../shared/errors/errors.ts';
import { checkEmail } from '../../../shared/text/recipient.ts';
import type { MailSettings } from '../store/mail-settings.ts';

/** A mail to one person, in two forms of the same words. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

const TIMEOUT_MS = 10_000;

/** Hands a mail to the owner's server. Throws `MAIL_FAILED` with what the server said, `RECIPIENT_INVALID`. */
export async function sendMail(settings: MailSettings, { to, subject, text, html }: Mail): Promise<void> {
  const transport = open(settings);
  try {
    // As a structure and not as text, which a library would parse into several; every line break is gone before it is a header.
    const message = { from: { name: '', address: checkEmail(settings.from) }, to: { name: '', address: checkEmail(to) }, subject: oneLine(subject), text, html, disableFileAccess: true, disableUrlAccess: true };
    await transport.sendMail(message);
  } catch (error) {
    throw failed(error, settings);
  } finally {
    transport.close();
  }
}

/** Connects and signs in. Throws `MAIL_FAILED`. */
export async function testMail(settings: MailSettings): Promise<void> {
  const transport = open(settings);
  try {
    await transport.verify();
  } catch (error) {
    throw failed(error, settings);
  } finally {
    transport.close();
  }
}

const open = ({ host, port, secure, plain, user, password }: MailSettings) =>
  createTransport({
    host,
    port,
    secure,
    ignoreTLS: plain,
    requireTLS: !secure && !plain,
    ...(user !== '' && { auth: { user, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Its log would hold the message, and with it the link.
    logger: false,
  });

const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, ' ');

/** The server's own words, without the cause, in which the library keeps the whole dialogue. */
function failed(error: unknown, { host, port, password }: MailSettings): BursarError {
  if (error instanceof BursarError) return error;
  const said = error instanceof Error ? oneLine(error.message).slice(0, 300) : 'it failed';
  const words = password === '' ? said : said.replaceAll(password, '…');
  return new BursarError('MAIL_FAILED', `The mail server ${host}:${port} did not take the mail: ${words}`, { context: { host } });
}
