import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { EVM_NETWORK, SOLANA_NETWORK } from '../networks.ts';
import { stderrPaymentLog } from './payment/events.ts';
import { withRawCodes } from './raw-codes.ts';
import { createSeller } from './seller.ts';

// The demo server over stdio. Its environment variable SELLER holds what it has to know, as JSON; the sandbox writes it.
const optionsSchema = z.strictObject({
  facilitatorUrl: z.url(),
  payTo: z.strictObject({ evm: z.string(), solana: z.string() }),
  evmRpcUrl: z.url(),
  solanaRpcUrl: z.url(),
  card: z.strictObject({ url: z.url(), secretKey: z.string(), publishableKey: z.string(), account: z.string() }),
  devSecret: z.string(),
  storeFile: z.string().optional(),
  /** Limits the networks that it offers to be paid on. */
  networks: z.array(z.enum([EVM_NETWORK, SOLANA_NETWORK])).optional(),
  events: z.boolean().default(false),
});

const options = optionsSchema.safeParse(parsed(process.env['SELLER'] ?? ''));
if (!options.success) {
  console.error(`The demo seller needs its options in the environment variable SELLER: ${z.prettifyError(options.error)}`);
  process.exit(2);
}
const { networks, events, storeFile, ...rest } = options.data;
const seller = createSeller({ ...rest, ...(storeFile !== undefined && { storeFile }), ...(events && { log: stderrPaymentLog }) });
serveStdio(() => seller.server({ ...(networks && { networks }) }), { transport: withRawCodes(new StdioServerTransport()) });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
