import { expect, test } from 'vitest';
import { locateHome } from '../../../src/main/adapters/home/home.ts';
import { bursarCommand } from '../../../src/main/bursar-command.ts';

const env = { ...process.env, BURSAR_HOME: undefined };

test('a printed command reaches another data folder than the one it is about', () => {
  expect(bursarCommand('dashboard', { folder: locateHome({ environment: 'sandbox', env }), environment: 'sandbox' })).toBe('npm run -s bursar -- dashboard');
  expect(bursarCommand('dashboard', { folder: locateHome({ environment: 'testnet', env }), environment: 'testnet' })).toBe('npm run -s bursar -- --network testnet dashboard');
  expect(bursarCommand('dashboard', { folder: '/a b', environment: 'mainnet' })).toBe('npm run -s bursar -- --home "/a b" dashboard');
});
