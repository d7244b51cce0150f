import { mppMcp } from './dialects/mpp.ts';
import { mpx } from './dialects/mpx.ts';
import { transferError } from './dialects/transfer.ts';
import { mcpPost402 } from './dialects/x402-http.ts';
import { cloudflare, officialV1, officialV2, paymcp, rpcError32042, rpcError402, textOnly, vercel } from './dialects/x402-mcp.ts';
import type { Price } from './payment/terms.ts';
import { REALM, type RailName } from './rails.ts';
import { cityTime } from './tools/city-time.ts';
import { moonPhase } from './tools/moon-phase.ts';
import { moonCalendar, moonDistance } from './tools/moon-tools.ts';
import { skyReport } from './tools/sky-report.ts';
import { sunTimes } from './tools/sun-times.ts';
import { dayLength, solarNoon, sunCalendar, sunPosition, twilight } from './tools/sun-tools.ts';
import { easterDate, isoWeek, julianDate, seasons, siderealTime, unixTime } from './tools/time-tools.ts';
import type { Tool, ToolSale } from './tools/tool.ts';

/** A tool and how it is sold. */
export interface CatalogueItem {
  readonly tool: Tool;
  readonly sale?: ToolSale;
  /** Who is asked for money how, for whoever wants to try it. */
  readonly note: string;
}

const CENT = 10_000n;
const usdc = (units: bigint): Price => ({ units, decimals: 6, currency: 'USDC' });
const V1: readonly RailName[] = ['exact-evm-v1', 'exact-svm-v1'];
const V2: readonly RailName[] = ['exact-evm-v2', 'exact-svm-v2'];

/** Every tool of the demo server. Each dialect sells one; the first four are those of a first visit. */
export const CATALOGUE: readonly CatalogueItem[] = [
  { tool: cityTime, note: 'Free.' },
  { tool: sunTimes, sale: { price: usdc(CENT), dialect: officialV2, rails: ['exact-evm-v2'] }, note: 'Costs 0.01 USDC on Base Sepolia.' },
  { tool: moonPhase, sale: { price: usdc(CENT), dialect: officialV2, rails: ['exact-svm-v2'] }, note: 'Costs 0.01 USDC on Solana devnet.' },
  { tool: skyReport, sale: { price: usdc(2n * CENT), dialect: officialV2, rails: V2 }, note: 'Costs 0.02 USDC on Base Sepolia or Solana devnet.' },
  { tool: dayLength, sale: { price: usdc(CENT), dialect: officialV1, rails: V1 }, note: 'Costs 0.01 USDC, asked for in x402 version 1.' },
  { tool: solarNoon, sale: { price: usdc(CENT), dialect: rpcError402, rails: V1 }, note: 'Costs 0.01 USDC, asked for by JSON-RPC error 402.' },
  { tool: twilight, sale: { price: usdc(CENT), dialect: rpcError32042, rails: V2 }, note: 'Costs 0.01 USDC, asked for by JSON-RPC error -32042.' },
  { tool: moonDistance, sale: { price: usdc(CENT), dialect: textOnly, rails: V2 }, note: 'Costs 0.01 USDC, asked for in plain text.' },
  { tool: julianDate, sale: { price: usdc(CENT), dialect: cloudflare, rails: V1 }, note: 'Costs 0.01 USDC, asked for as Cloudflare and MCPay do.' },
  { tool: siderealTime, sale: { price: usdc(CENT), dialect: vercel, rails: V1 }, note: 'Costs 0.01 USDC, asked for as Vercel does.' },
  { tool: sunPosition, sale: { price: usdc(CENT), dialect: paymcp, rails: V2 }, note: 'Costs 0.01 USDC, asked for as PayMCP does.' },
  { tool: unixTime, sale: { price: usdc(CENT), dialect: mcpPost402, rails: V2, inFront: 'only' }, note: 'Costs 0.01 USDC, asked for by HTTP status 402.' },
  { tool: seasons, sale: { price: usdc(CENT), dialect: transferError, rails: ['transfer-svm'], salesPerMinute: 30, inFront: 'too' }, note: 'Costs 0.01 USDC on Solana devnet, sent before the call (JSON-RPC error -32001).' },
  { tool: easterDate, sale: { price: usdc(CENT), dialect: mpx, rails: ['dev-signature'] }, note: 'Costs 0.01 USDC of nothing: MPX with a development signature.' },
  { tool: sunCalendar, sale: { price: usdc(2n * CENT), dialect: mpx, rails: ['x402-evm-exact'] }, note: 'Costs 0.02 USDC on Base Sepolia, by MPX.' },
  { tool: moonCalendar, sale: { price: { units: 50n, decimals: 2, currency: 'USD' }, dialect: mpx, rails: ['stripe-card'] }, note: 'Costs 0.50 USD on a test card, by MPX.' },
  {
    tool: isoWeek,
    sale: { price: usdc(CENT), dialect: mppMcp(REALM), rails: ['evm-charge'], freeWhen: ({ date }) => date === undefined },
    note: 'Free for today; any other date costs 0.01 USDC on Base Sepolia, by the Machine Payments Protocol.',
  },
];
