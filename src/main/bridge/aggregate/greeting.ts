import { childOf, stringAt, textAt, type Span } from '../json-text.ts';
import type { MessageScan } from '../scan.ts';
import { setMembers, splice } from '../splice.ts';

const LATEST = '2025-11-25';
/** Versions of the protocol that begin with `initialize`, which the aggregate route speaks. */
export const VERSIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', LATEST];

/** All that servers may have: what they have is only known once they were started, which waits until something is asked of them. */
const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

export const INSTRUCTIONS =
  'Every server that the owner has put behind Bursar. Tools and prompts are named server__name. A tool may cost money; Bursar pays within the limits that the owner set, ' +
  'or asks them. Where a call answers payment_pending, call payment_resume with its paymentId, or the same tool again with the same arguments: it is paid at most once. ' +
  'payment_status says how a payment stands.';

/** Raw JSON of the `initialize` params for a client that never sent any (a single request over HTTP, or one of 2026-07-28). */
export const anonymousParams = (version: string): string => JSON.stringify({ protocolVersion: LATEST, capabilities: {}, clientInfo: { name: 'bursar', version } });

/** The answer to a client's `initialize`, and the params with which its servers are greeted: the client's own, in the version that was agreed upon. */
export function greet(text: string, { fields: { params } }: MessageScan, version: string): { readonly resultText: string; readonly paramsText: string } {
  const asked = stringAt(text, childOf(text, params, 'protocolVersion')) ?? LATEST;
  const protocolVersion = VERSIONS.includes(asked) ? asked : LATEST;
  const resultText = JSON.stringify({ protocolVersion, capabilities: CAPABILITIES, serverInfo: { name: 'bursar', title: 'Bursar', version }, instructions: INSTRUCTIONS });
  const given = params === undefined ? '{}' : textAt(text, params);
  const whole: Span = { start: 0, end: given.length };
  return { resultText, paramsText: given.startsWith('{') ? splice(given, setMembers(given, whole, { protocolVersion: JSON.stringify(protocolVersion) })) : anonymousParams(version) };
}
