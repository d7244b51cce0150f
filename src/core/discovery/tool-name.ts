import { slotName } from './endpoint-input.ts';

/** What every MCP client takes for the name of a tool. */
const MAX_CHARACTERS = 64;
/** How a name ends that stands for a tool of a server (bridge, `names.ts`). */
const HASHED = /_[\da-f]{16}$/;

/**
 * Every name that a tool of Bursar's own has or may get. A tool that somebody else named must never take the place of one of them.
 */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  'payment_status',
  'payment_resume',
  'get_payment_context',
  'send_to_contact',
  'send_to_address',
  'send_to_email',
  'send_to_sms',
  'x402_setup_agent',
  'x402_check_delegation',
  'x402_pay',
  'x402_check_balance',
  'x402_revoke_delegation',
  'x402_transaction_history',
  'x402_discover_services',
  'x402_estimate_cost',
]);

/** `a-Z 1` → `a_z_1`: never two underscores in a row, so never `server__tool`. */
const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');

const lettered = (name: string): string => (/^[a-z]/.test(name) ? name : `x402_${name}`);

/** The name by the address alone: its last part, without host and query. `https://api.example.com/123-data?x=1` → `x402_123_data`. */
export function baseName(url: string): string {
  const [, host = '', path = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/i.exec(url) ?? [];
  const last = path.split('/').filter((part) => slotName(part) === undefined).map(readable).map(slug).findLast((part) => part !== '');
  return cut(lettered(last ?? slug(host)), '');
}

/** A name that is free: by the address, else with its host, else with a number as well. The same for the same `isTaken`. */
export function toolName(url: string, isTaken: (name: string) => boolean): string {
  const isFree = (name: string): boolean => !OWN_TOOL_NAMES.has(name) && !HASHED.test(name) && !isTaken(name);
  const base = baseName(url);
  if (isFree(base)) return base;
  const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const withHost = `_${slug(host)}`.slice(0, MAX_CHARACTERS / 2).replace(/_+$/, '');
  for (let number = 1; ; number++) {
    const name = cut(base, number === 1 ? withHost : `${withHost}_${number}`);
    if (isFree(name)) return name;
  }
}

const cut = (name: string, suffix: string): string => `${name.slice(0, MAX_CHARACTERS - suffix.length).replace(/_+$/, '')}${suffix}`;

function readable(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
