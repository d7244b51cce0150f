import { expect, test } from 'vitest';
import { settingsHandlers, type SettingsDeps } from '../../../src/main/rpc/handlers/settings.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';

const caller = { surface: 'dashboard', connection: 'a', host: 'headless' } as const;

function handlersWith(changes: Partial<SettingsDeps> = {}) {
  let told: Partial<Record<'approvals' | 'warnings', boolean>> = {};
  const begun: string[] = [];
  const handlers = settingsHandlers({
    networks: () => [],
    networksChange: true,
    checkRpc: () => Promise.reject(new Error('unexpected')),
    disableNetwork() {
      throw new Error('unexpected');
    },
    notifications: { supported: true, get: () => told, set: (on) => void (told = on) },
    folder: '/home/bursar',
    starts: { sandbox: 'a', testnet: 'b', mainnet: 'c' },
    reset: {
      word: 'move',
      keeps: true,
      needsPassphrase: () => true,
      async verifyPassphrase(passphrase) {
        if (passphrase !== 'right') throw new BursarError('PASSPHRASE_WRONG', 'wrong');
      },
      begin() {
        begun.push('reset');
        return '/home/bursar-kept';
      },
    },
    changed: () => {},
    ...changes,
  });
  return { handlers, begun };
}

test('a folder of real money is put aside without the word, or without the passphrase', async () => {
  const { handlers, begun } = handlersWith();
  const reset = (input: { word: string; passphrase?: string }) => handlers['settings.reset'](input, caller);
  await expect(reset({ word: 'delete', passphrase: 'right' })).rejects.toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  await expect(reset({ word: 'move' })).rejects.toThrow(expect.objectContaining({ code: 'PASSPHRASE_WRONG' }));
  await expect(reset({ word: 'move', passphrase: 'guess' })).rejects.toThrow(expect.objectContaining({ code: 'PASSPHRASE_WRONG' }));
  expect(begun).toEqual([]);
  expect(await reset({ word: ' Move ', passphrase: 'right' })).toEqual({ keptIn: '/home/bursar-kept' });
  expect(begun).toEqual(['reset']);
});

test('switching one notification off switches another one, or is forgotten', async () => {
  const { handlers } = handlersWith();
  await handlers['settings.set']({ notifications: { warnings: false } }, caller);
  await handlers['settings.set']({ notifications: { approvals: false } }, caller);
  expect((await handlers['settings.get']({}, caller)).notifications.on).toEqual({ approvals: false, warnings: false });
  await handlers['settings.set']({ notifications: { warnings: true } }, caller);
  expect((await handlers['settings.get']({}, caller)).notifications.on).toEqual({ approvals: false, warnings: true });
});

test('autostart is said to be on where the host has none, or a refusal of the system is taken for done', async () => {
  await expect(handlersWith().handlers['settings.set']({ autostart: true }, caller)).rejects.toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  expect((await handlersWith().handlers['settings.get']({}, caller)).autostart).toEqual({ supported: false, on: false });
  let on = false;
  const loginItem = { supported: true, get: async () => on, set: async (next: boolean) => void (on = next) };
  expect((await handlersWith({ loginItem }).handlers['settings.set']({ autostart: true }, caller)).autostart).toEqual({ supported: true, on: true });
  const refusing = { ...loginItem, set: () => Promise.reject(new BursarError('LOGIN_ITEM_FAILED', 'no')) };
  await expect(handlersWith({ loginItem: refusing }).handlers['settings.set']({ autostart: false }, caller)).rejects.toThrow(expect.objectContaining({ code: 'LOGIN_ITEM_FAILED' }));
});

test('another kind of money is started that this program does not bring, or is said to be startable where no host can', async () => {
  const started: string[] = [];
  const start = async (kind: string) => void started.push(kind);
  const { handlers } = handlersWith({ start, starts: { sandbox: '', testnet: 'b', mainnet: 'c' } });
  expect(await handlers['settings.get']({}, caller)).toMatchObject({ startsByItself: true });
  await handlers['settings.start']({ environment: 'mainnet' }, caller);
  await expect(async () => handlers['settings.start']({ environment: 'sandbox' }, caller)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(started).toEqual(['mainnet']);
  const { handlers: refusing } = handlersWith({ start: () => Promise.reject(new Error('spawn bursar ENOENT')), starts: { sandbox: '', testnet: 'b', mainnet: 'c' } });
  await expect(refusing['settings.start']({ environment: 'mainnet' }, caller)).rejects.toMatchObject({ code: 'START_FAILED', message: expect.stringContaining('ENOENT') });

  const { handlers: without } = handlersWith();
  expect(await without['settings.get']({}, caller)).toMatchObject({ startsByItself: false });
  await expect(async () => without['settings.start']({ environment: 'mainnet' }, caller)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
