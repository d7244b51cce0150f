import { z } from 'zod';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../networks.ts';
import { describeMoon, moonPhaseSchema } from './moon-phase.ts';
import { describeSun, sunTimesSchema } from './sun-times.ts';
import { dateSchema, defineTool, latitudeSchema, longitudeSchema } from './tool.ts';

/** Sun and moon together, for 0.02 USDC on either network. */
export const skyReport = defineTool({
  name: 'sky_report',
  title: 'Sky report',
  description: 'Sun times and the phase of the moon at a place on a date. Costs 0.02 USDC on Base Sepolia or Solana devnet.',
  inputSchema: z.object({ latitude: latitudeSchema, longitude: longitudeSchema, date: dateSchema }),
  outputSchema: z.object({ latitude: z.number(), longitude: z.number(), sun: sunTimesSchema, moon: moonPhaseSchema }),
  price: { amount: 20_000n, networks: [EVM_NETWORK, SOLANA_NETWORK] },
  run: ({ latitude, longitude, date }) => ({ latitude, longitude, sun: describeSun(date, latitude, longitude), moon: describeMoon(date) }),
});
