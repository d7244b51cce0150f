import { BursarError } from '../errors/errors.ts';

/** What a claim link carries in its fragment, which no server is ever told. Whoever has it can move the money. */
export interface ClaimLink {
  /** CAIP-2. */
  readonly network: string;
  readonly networkName: string;
  readonly token: ClaimToken;
  /** Base units, digits only. */
  readonly units: string;
  /** Until when it can be claimed (ms). */
  readonly expiresAt: number;
  /** The sender's words for the recipient. */
  readonly memo: string;
  /** Whose money it was, to whom it goes back where nobody claims it. */
  readonly sender: string;
  /** The escrow's private key: 32 bytes in hex. */
  readonly secret: string;
}

/** What signing a transfer of the token takes. */
export interface ClaimToken {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** EVM: EIP-712 domain of its EIP-3009 functions. */
  readonly eip712?: { readonly name: string; readonly version: string };
  /** Solana: the program that owns the mint. */
  readonly tokenProgram?: string;
}

const VERSION = '1';
/** A token says its decimals in one byte; no calendar goes beyond the other (ECMA-262, 21.4.1.1). */
const MOST_DECIMALS = 255;
const LATEST_MS = 8.64e15;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The fragment, without `#`: version, payload and checksum. */
export function writeClaimFragment({ network, networkName, token, units, expiresAt, memo, sender, secret }: ClaimLink): string {
  const { address, symbol, decimals, eip712, tokenProgram } = token;
  const fields = [network, networkName, address, symbol, decimals, eip712 ? [eip712.name, eip712.version] : 0, tokenProgram ?? 0, units, expiresAt, memo, sender, secret];
  const payload = encode(JSON.stringify(fields).replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`));
  return `${VERSION}.${payload}.${checksum(payload)}`;
}

/** Reads a whole link, or its fragment alone. Throws `CLAIM_LINK_INVALID` for one that is cut off, changed or of another kind. */
export function readClaimLink(text: string): ClaimLink {
  const given = text.trim();
  const fragment = given.includes('#') ? given.slice(given.indexOf('#') + 1) : given;
  const [, version, payload = '', sum] = /^(\d+)\.([\w-]+)\.([0-9a-f]{8})$/.exec(fragment) ?? [];
  if (version === undefined) throw invalid(fragment === '' || /^\d+\.[\w.-]*$/.test(fragment) ? 'The claim link is not complete.' : 'This is no claim link.');
  if (version !== VERSION) throw invalid('The claim link is of a newer kind than this program knows.');
  if (checksum(payload) !== sum) throw invalid('The claim link was changed on its way: it does not fit its checksum.');
  return readFields(decode(payload));
}

function readFields(text: string): ClaimLink {
  const malformed = () => invalid('The claim link holds something else than a payment.');
  let fields: readonly unknown[];
  try {
    fields = JSON.parse(text) as readonly unknown[];
  } catch {
    throw malformed();
  }
  if (!Array.isArray(fields) || fields.length !== 12) throw malformed();
  const [network, networkName, address, symbol, decimals, domain, program, units, expiresAt, memo, sender, secret] = fields;
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(network) || !isText(networkName) || !isText(address) || !isText(symbol) || !isText(units) || !isText(memo) || !isText(sender) || !isText(secret)) throw malformed();
  if (!isWholeUpTo(decimals, MOST_DECIMALS) || !isWholeUpTo(expiresAt, LATEST_MS) || !/^[1-9]\d{0,77}$/.test(units) || !/^[0-9a-f]{64}$/.test(secret)) throw malformed();
  if (!/^(?:eip155:\d{1,18}|solana:[1-9A-HJ-NP-Za-km-z]{32})$/.test(network)) throw invalid('The claim link is for a network that this program does not know.');
  const [name, domainVersion] = Array.isArray(domain) ? (domain as readonly unknown[]) : [];
  if (network.startsWith('eip155:') && (!isText(name) || !isText(domainVersion))) throw malformed();
  return {
    network,
    networkName,
    token: { address, symbol, decimals, ...(isText(name) && isText(domainVersion) && { eip712: { name, version: domainVersion } }), ...(isText(program) && { tokenProgram: program }) },
    units,
    expiresAt,
    memo,
    sender,
    secret,
  };
}

const isWholeUpTo = (value: unknown, most: number): value is number => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

const invalid = (message: string) => new BursarError('CLAIM_LINK_INVALID', message);

/** base64url of a text of 7-bit characters. */
function encode(text: string): string {
  let bits = '';
  for (const character of text) bits += character.charCodeAt(0).toString(2).padStart(8, '0');
  return (bits.match(/.{1,6}/g) ?? []).map((part) => ALPHABET.charAt(Number.parseInt(part.padEnd(6, '0'), 2))).join('');
}

function decode(payload: string): string {
  let bits = '';
  for (const character of payload) bits += ALPHABET.indexOf(character).toString(2).padStart(6, '0');
  return (bits.match(/.{8}/g) ?? []).map((part) => String.fromCharCode(Number.parseInt(part, 2))).join('');
}

/** CRC-32, which finds what a mail program or a hand did to a link. It proves nothing of who wrote it. */
function checksum(text: string): string {
  let sum = 0xffffffff;
  for (let at = 0; at < text.length; at += 1) {
    sum ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
