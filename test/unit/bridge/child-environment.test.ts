import { expect, test } from 'vitest';
import { childEnvironment } from '../../../src/main/bridge/child-environment.ts';

test('secrets of Bursar are not inherited, what is configured wins', () => {
  const own = { PATH: '/bin', HOME: '/home/a', BURSAR_PASSPHRASE_FILE: '/p', AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: '--inspect', DBUS_SESSION_BUS_ADDRESS: 'd' };
  expect(childEnvironment({ HOME: '/other', TOKEN: 't' }, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/other', TOKEN: 't' });
});

test('on Windows names are compared without case', () => {
  expect(childEnvironment({}, { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', Secret: 's' }, 'win32')).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
});
