import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { BursarError } from '../shared/errors/errors.ts';
import { parseBaseUnits } from '../shared/money/money.ts';
import { FACILITATOR_FAULTS, FACILITATOR_STEPS } from './facilitator/faults.ts';
import { readJson, sendJson, serveHttp, type HttpService } from './http/http-service.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from './networks.ts';
import type { Sandbox } from './sandbox.ts';
import { RPC_FAULTS } from './solana/rpc-faults.ts';

/** The control server while it listens. */
export interface ControlService extends HttpService {
  /** The bearer token that every request has to carry. */
  readonly token: string;
}

const networkSchema = z.enum([EVM_NETWORK, SOLANA_NETWORK]);
const fundSchema = z.strictObject({
  network: networkSchema,
  address: z.string(),
  /** Base units as a decimal string. */
  usdc: z.string().transform(parseBaseUnits).optional(),
  gas: z.boolean().optional(),
});
const balanceSchema = z.object({ network: networkSchema, address: z.string() });
const faultSchema = z.union([
  z.strictObject({ facilitator: z.enum(FACILITATOR_STEPS), mode: z.enum(FACILITATOR_FAULTS).nullable() }),
  z.strictObject({ solana: z.string(), mode: z.enum(RPC_FAULTS).nullable() }),
  z.strictObject({ clear: z.literal(true) }),
]);
const advanceSchema = z.union([
  z.strictObject({ evmSeconds: z.int().min(0).max(31_536_000) }),
  z.strictObject({ solanaSlots: z.int().min(0).max(100_000_000) }),
]);

type Controls = Pick<Sandbox, 'fund' | 'balance' | 'captured' | 'faults' | 'time'>;
type Route = (request: IncomingMessage, query: URLSearchParams) => Promise<object>;

/**
 * Serves the sandbox's controls: `POST /fund`, `GET /balance?network&address` → `{usdc}`, `GET /cards` →
 * `{capturedCents}` and, where faults are on, `POST /fault`
 * (`{facilitator, mode}`, `{solana: method, mode}` or `{clear: true}`) and `POST /advance` (`{evmSeconds}` or `{solanaSlots}`).
 */
export async function serveControl(controls: Controls): Promise<ControlService> {
  const token = randomBytes(32).toString('base64url');
  const routes = new Map<string, Route>(Object.entries({ ...moneyRoutes(controls), ...faultRoutes(controls) }));
  const service = await serveHttp(async (request, response) => {
    if (!isAuthorized(request, token)) throw new BursarError('UNAUTHORIZED', 'The sandbox needs the token of its ready line.');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routes.get(`${request.method} ${pathname}`);
    if (!route) throw new BursarError('NOT_FOUND', `The sandbox has no ${request.method} ${pathname}.`);
    sendJson(response, 200, await route(request, searchParams));
  });
  return { ...service, token };
}

const moneyRoutes = ({ fund, balance, captured }: Controls): Record<string, Route> => ({
  'POST /fund': async (request) => {
    const { network, address, usdc, gas } = read(fundSchema, await readJson(request));
    await fund({ network, address, ...(usdc !== undefined && { usdc }), ...(gas !== undefined && { gas }) });
    return { usdc: (await balance(network, address)).toString() };
  },
  'GET /balance': async (_request, query) => {
    const { network, address } = read(balanceSchema, Object.fromEntries(query));
    return { usdc: (await balance(network, address)).toString() };
  },
  'GET /cards': async () => ({ capturedCents: captured() }),
});

function faultRoutes({ faults, time }: Controls): Record<string, Route> {
  if (!faults) return {};
  return {
    'POST /fault': async (request) => {
      const fault = read(faultSchema, await readJson(request));
      if ('clear' in fault) faults.clear();
      else if ('solana' in fault) faults.solana.set(fault.solana, fault.mode ?? undefined);
      else faults.facilitator.set(fault.facilitator, fault.mode ?? undefined);
      return { ok: true };
    },
    'POST /advance': async (request) => {
      const advance = read(advanceSchema, await readJson(request));
      if ('evmSeconds' in advance) await time.advanceEvm(advance.evmSeconds);
      else time.advanceSolana(advance.solanaSlots);
      return { ok: true };
    },
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BursarError('INPUT_INVALID', `The sandbox cannot read the request: ${z.prettifyError(parsed.error)}`);
}

// Equal lengths for the comparison, whatever was sent.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}
