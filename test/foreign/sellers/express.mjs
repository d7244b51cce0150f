// @x402/express as its documentation sets it up: a route for each chain, and one that wants Permit2.
import { createServer } from 'node:http';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import express from 'express';
import { listen, world } from './serve.mjs';

const { evm, solana } = world.networks;
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: world.facilitatorUrl }))
  .register(evm, new ExactEvmScheme())
  .register(solana, new ExactSvmScheme());
const accept = (network, payTo) => ({ accepts: { scheme: 'exact', price: '$0.01', network, payTo }, description: 'A fact', mimeType: 'application/json' });

const app = express();
const permit2 = { amount: '10000', asset: world.evmUsdc, extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' } };
const routes = {
  'GET /evm': accept(evm, world.payTo.evm),
  'GET /svm': accept(solana, world.payTo.solana),
  'GET /permit2': { accepts: { scheme: 'exact', price: permit2, network: evm, payTo: world.payTo.evm }, description: 'A fact', mimeType: 'application/json' },
};
app.use(paymentMiddleware(routes, server));
app.get(['/evm', '/svm', '/permit2'], (_request, response) => response.json({ fact: 'paid through @x402/express' }));
listen(createServer(app));
