import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { BursarError } from '../../../shared/errors/errors.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
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
/** Silence in between: a server that looks for spam takes its time before it says yes. */
const SILENCE_MS = 30_000;
/** All of it: a server that says a little again and again is never silent. */
const LIMIT_MS = 60_000;

/** Hands a mail to the owner's server. Throws `MAIL_FAILED` with what the server said, `RECIPIENT_INVALID`. */
export async function sendMail(settings: MailSettings, { to, subject, text, html }: Mail, limitMs = LIMIT_MS): Promise<void> {
  const transport = open(settings);
  const signal = AbortSignal.timeout(limitMs);
  try {
    // As a structure and not as text, which a library would parse into several; every line break is gone before it is a header.
    const message = { from: { name: '', address: checkEmail(settings.from) }, to: { name: '', address: checkEmail(to) }, subject: oneLine(subject), text, html, disableFileAccess: true, disableUrlAccess: true, signal };
    await transport.sendMail(message);
  } catch (error) {
    throw failed(signal.aborted ? tooSlow(limitMs) : error, settings);
  } finally {
    transport.close();
  }
}

/** Connects and signs in. Throws `MAIL_FAILED`. */
export async function testMail(settings: MailSettings, limitMs = LIMIT_MS): Promise<void> {
  const transport = open(settings);
  const done = new AbortController();
  try {
    await Promise.race([transport.verify(), wait(limitMs, undefined, done).then(() => Promise.reject(tooSlow(limitMs)))]);
  } catch (error) {
    throw failed(error, settings);
  } finally {
    done.abort();
    transport.close();
  }
}

const tooSlow = (limitMs: number) => new Error(`it was not done within ${limitMs / 1000} s, and may have gone out or not`);

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
    socketTimeout: SILENCE_MS,
    // Its log would hold the message, and with it the link.
    logger: false,
  });

const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, ' ');

/** What stands in a link, in base64 or in a line of the mail: no word that a person is to read is so long. */
const LONG_RUN = /[\w+/=.-]{32,}/g;

/**
 * The server's own words, without the cause, in which the library keeps the whole dialogue. Servers quote what they refuse, and whoever reads the link in it can
 * take the money (I6): what could be a part of it goes, and so does the password, in each form in which it is sent.
 */
function failed(error: unknown, { host, port, user, password }: MailSettings): BursarError {
  if (error instanceof BursarError) return error;
  const said = error instanceof Error ? oneLine(cleanText(error.message, 2_000)) : 'it failed';
  const secrets = password === '' ? [] : [password, base64(password), base64(`\0${user}\0${password}`)];
  const words = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), said).replace(/#\S+/g, '#…').replace(LONG_RUN, '…').slice(0, 300);
  return new BursarError('MAIL_FAILED', `The mail server ${host}:${port} did not take the mail: ${words}`, { context: { host } });
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
