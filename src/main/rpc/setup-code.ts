import { createHash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Caller } from './caller.ts';

/**
 * What the first passphrase of a data folder needs wherever other programs can speak to Bursar: a code of this run, which stands in the
 * terminal that it was started in and nowhere else. A page's address will not do, for whoever reaches the socket can ask for one.
 */
export interface SetupCode {
  /** For the terminal: 80 bits as `XXXX-XXXX-XXXX-XXXX`. */
  readonly text: string;
  /** Throws `FORBIDDEN` where the surface sets no passphrase at all, `SETUP_CODE_WRONG` where it has to bring the code and does not. */
  require(caller: Caller, given: string): void;
}

/** Letters and digits that are not mistaken for one another (Crockford's Base32). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SYMBOLS = 16;

/** False in Electron's own dashboard window alone: no other program can load that page. */
export const needsSetupCode = ({ host, surface }: Pick<Caller, 'host' | 'surface'>): boolean => !(host === 'electron' && surface === 'dashboard');

/** Makes the code of this run. It is held in memory and in no file. */
export function createSetupCode(random: RandomBytes): SetupCode {
  const symbols = Array.from(random(SYMBOLS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return {
    text: symbols.replace(/(.{4})(?=.)/g, '$1-'),
    require(caller, given) {
      if (caller.surface === 'approval' || caller.surface === 'cli-approval') throw new BursarError('FORBIDDEN', 'What answers payments sets no passphrase.');
      if (needsSetupCode(caller) && !timingSafeEqual(hash(plain(given)), hash(symbols))) {
        throw new BursarError('SETUP_CODE_WRONG', given === '' ? 'The first passphrase needs the setup code of this run.' : 'That is not the setup code of this run.');
      }
    },
  };
}

/** As a person types it: without regard to case, hyphens and spaces; O, I and L are the digits that they look like. */
const plain = (typed: string): string => typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
