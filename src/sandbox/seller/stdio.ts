import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createSeller } from './seller.ts';

// The demo server over stdio: `node stdio.js --facilitator URL --pay-to-evm ADDRESS --pay-to-solana ADDRESS`, each of which
// may also come from the environment (SELLER_FACILITATOR, SELLER_PAY_TO_EVM, SELLER_PAY_TO_SOLANA).
const { values } = parseArgs({
  options: { facilitator: { type: 'string' }, 'pay-to-evm': { type: 'string' }, 'pay-to-solana': { type: 'string' } },
});
const required = (flag: keyof typeof values): string => {
  const name = `SELLER_${flag.toUpperCase().replaceAll('-', '_')}`;
  const value = values[flag] ?? process.env[name];
  if (!value) {
    console.error(`The demo seller needs --${flag} or ${name}.`);
    process.exit(2);
  }
  return value;
};

serveStdio(
  createSeller({
    facilitatorUrl: required('facilitator'),
    payTo: { evm: required('pay-to-evm'), solana: required('pay-to-solana') },
  }),
);
