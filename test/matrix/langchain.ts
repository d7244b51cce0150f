import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { House } from './house.ts';

const AGENT = fileURLToPath(new URL('../foreign/agents/langchain.mjs', import.meta.url));
const SERVER = 'own-http-evm';
const TOOL = 'sun_times';
const args = { latitude: 48.2, longitude: 16.37, date: '2026-12-21' };
const PRICE = 10_000n;
const SETTLED_WITHIN_MS = 15_000;

interface Report {
  readonly tools: readonly string[];
  readonly answers: readonly { readonly served: boolean; readonly text: string }[];
}

/**
 * Buys through LangChain's MCP adapter: with an API key, then with OAuth client credentials that may not have calls paid. Says what is not as
 * designed; empty where all is.
 */
export async function buyWithLangchain({ owner, mcpUrl, holdings }: House): Promise<string> {
  const before = await holdings();
  const paid = async () => (await holdings()).evm.payee - before.evm.payee;
  const buyer = await owner.request('clients.add', { name: 'langchain' });
  if (buyer.credential !== 'key') return 'no API key was given';
  // On the server's own route: what other servers say of its address in their lists would have the owner asked.
  const bought = await run({ url: `${mcpUrl}/${SERVER}`, key: buyer.token, calls: [{ tool: TOOL, args }] });
  if (!bought.answers[0]?.served) return `the paid tool was not served: ${bought.answers[0]?.text}`;
  const { tools } = await run({ url: mcpUrl, key: buyer.token, calls: [] });
  for (const tool of ['payment_status', 'payment_resume', `${SERVER}__${TOOL}`]) if (!tools.includes(tool)) return `${tool} is not among the tools`;
  for (const deadline = performance.now() + SETTLED_WITHIN_MS; (await paid()) !== PRICE; await delay(50)) {
    if (performance.now() > deadline) return `${await paid()} moved and not ${PRICE}`;
  }

  const reader = await owner.request('clients.add', { name: 'langchain reader', credential: 'oauth', scopes: [] });
  if (reader.credential !== 'oauth') return 'no client credentials were given';
  const { clientId, clientSecret } = reader;
  const refused = await run({ url: mcpUrl, clientId, clientSecret, calls: [{ tool: `${SERVER}__${TOOL}`, args }, { tool: 'payment_resume', args: { paymentId: 'pay_x' } }] });
  const [call, resume] = refused.answers;
  if (call?.served !== false || !call.text.includes('SCOPE_MISSING')) return `a client without the scope was answered: ${call?.text}`;
  if (resume?.served !== false || refused.tools.includes('payment_resume')) return 'payment_resume is listed for a client without its scope';
  if (!refused.tools.includes('payment_status')) return 'payment_status is not listed for a client with the least scope';
  if ((await paid()) !== PRICE) return 'money moved for a client without the scope';
  return '';
}

async function run(agent: object): Promise<Report> {
  const child = spawn(process.execPath, [AGENT], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LANGCHAIN_AGENT: JSON.stringify(agent) } });
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise((resolve) => child.once('exit', resolve))]);
  if (code !== 0) throw new Error(`the LangChain agent ended with ${String(code)}: ${errors.slice(-1000)}`);
  return JSON.parse(out) as Report;
}
