// @x402/express as its documentation sets it up: two routes, one for each chain.
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
app.use(paymentMiddleware({ 'GET /evm': accept(evm, world.payTo.evm), 'GET /svm': accept(solana, world.payTo.solana) }, server));
app.get(['/evm', '/svm'], (_request, response) => response.json({ fact: 'paid through @x402/express' }));
listen(createServer(app));
