import { expect, test } from 'vitest';
import { programFiles } from '../../../src/main/program-files.ts';

const packed = '/opt/Bursar/resources/app.asar/out/main';

test('clients of an installed Bursar are told of a file that only Electron can read, or of another Node', () => {
  const files = programFiles(packed, '/usr/bin/node');
  expect(files).toMatchObject({
    packed: true,
    node: '/opt/Bursar/resources/program/node',
    shim: '/opt/Bursar/resources/program/out/main/shim.js',
    cli: '/opt/Bursar/resources/program/out/main/cli.js',
  });
});

test('the reading thread of an installed Bursar loads a second copy of SQLite', () => {
  expect(programFiles(packed).search).toBe('/opt/Bursar/resources/app.asar.unpacked/out/main/search.js');
});

test('a checkout is taken for an installed Bursar', () => {
  expect(programFiles('/home/o/bursar/out/main', '/usr/bin/node')).toMatchObject({ packed: false, node: '/usr/bin/node', shim: '/home/o/bursar/out/main/shim.js', search: '/home/o/bursar/out/main/search.js' });
});
