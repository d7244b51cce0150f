import { expect, test } from 'vitest';
import { locateHome } from '../../../src/main/adapters/home/home.ts';
import { bursarCommand } from '../../../src/main/bursar-command.ts';

const env = { ...process.env, BURSAR_HOME: undefined };

test('a printed command reaches another data folder than the one it is about', () => {
  expect(bursarCommand('dashboard', { folder: locateHome({ environment: 'sandbox', env }), environment: 'sandbox' })).toBe('npm run -s bursar -- dashboard');
  expect(bursarCommand('dashboard', { folder: locateHome({ environment: 'testnet', env }), environment: 'testnet' })).toBe('npm run -s bursar -- --network testnet dashboard');
  expect(bursarCommand('dashboard', { folder: '/a b', environment: 'mainnet' })).toBe('npm run -s bursar -- --home "/a b" dashboard');
});

test.each([
  ['the application', '/opt/Bursar/resources/app.asar/out/main/chunks/serve.js', '/opt/Bursar/resources/program/node /opt/Bursar/resources/program/out/main/cli.js dashboard'],
  ['its command line', '/opt/Bursar/resources/program/out/main/chunks/serve.js', '/opt/Bursar/resources/program/node /opt/Bursar/resources/program/out/main/cli.js dashboard'],
  ['the application on macOS', '/Applications/My Apps/Bursar.app/Contents/Resources/program/out/main/cli.js', '"/Applications/My Apps/Bursar.app/Contents/Resources/program/node" "/Applications/My Apps/Bursar.app/Contents/Resources/program/out/main/cli.js" dashboard'],
])('a printed command needs npm where there is none: in %s', (_where, file, expected) => {
  expect(bursarCommand('dashboard', { folder: locateHome({ environment: 'sandbox', env }), environment: 'sandbox' }, file)).toBe(expected);
});
