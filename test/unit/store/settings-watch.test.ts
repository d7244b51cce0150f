import { describe, expect, it } from 'vitest';
import { decodeAnchor, encodeAnchor } from '../../../src/main/adapters/store/anchor.ts';
import { createLedgerMachine, type LedgerMachine } from './ledger-machine.ts';

const CHANGED = { code: 'SETTINGS_CHANGED', message: 'config.json was changed outside Bursar. first became lying.' };

/** Takes one member out of what lies with the keys, as an older Bursar left it. */
async function forget(machine: LedgerMachine, member: 'settings' | 'environment'): Promise<void> {
  const { [member]: _, ...older } = decodeAnchor((await machine.secrets.get('integrity'))!)!;
  await machine.secrets.set('integrity', encodeAnchor(older));
}

async function lied() {
  const machine = createLedgerMachine();
  const run = await machine.start();
  run.allow();
  run.reserve('p1');
  run.sign('p1');
  await machine.stop();
  machine.settings.put('lying');
  return { machine, run: await machine.start() };
}

describe('settings that were changed outside Bursar', () => {
  it('I7: free no budget: nothing is paid, and what RPC servers say then is not recorded', async () => {
    const { run } = await lied();
    expect(run.integrity.cause).toBe('settings');
    expect(run.integrity.findings()).toEqual([CHANGED.message]);
    expect(() => run.integrity.requireSound()).toThrow(expect.objectContaining(CHANGED));
    expect(() => run.integrity.requireSpend()).toThrow(expect.objectContaining(CHANGED));
    expect(() => run.reserve('p2')).toThrow(expect.objectContaining(CHANGED));
    expect(run.integrity.mayRecord()).toBe(false);
  });

  it('are not taken by ending and starting again, however often', async () => {
    const { machine } = await lied();
    for (let start = 0; start < 2; start += 1) {
      await machine.stop();
      expect((await machine.start()).integrity.findings()).toEqual([CHANGED.message]);
    }
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('settings');
  });

  it('count once the owner accepts them, under the policy as it was; that is on record', async () => {
    const { machine, run } = await lied();
    await run.accept();
    run.reserve('p2');
    expect(run.policies.current().policy.otherwise).toBe('allow');
    expect(run.integrity.mayRecord()).toBe(true);
    machine.kill();
    const next = await machine.start();
    expect(next.integrity.cause).toBe('none');
    expect(next.read('SELECT findings FROM ledger_acceptances')).toContain('first became lying');
  });

  it('are put back as the owner had them, and that lasts', async () => {
    const { machine, run } = await lied();
    run.integrity.putSettingsBack();
    expect(machine.settings.text()).toBe('first');
    run.reserve('p2');
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('are not put back out of a copy that was changed as well', async () => {
    const { machine } = await lied();
    await machine.stop();
    machine.tamper(`UPDATE guarded_settings SET text = 'worse'`);
    const run = await machine.start();
    expect(run.integrity.findings()).toEqual(['config.json was changed outside Bursar.']);
    expect(run.integrity.canPutBack).toBe(false);
    expect(() => run.integrity.putSettingsBack()).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(machine.settings.text()).toBe('lying');
    expect(run.integrity.mayRecord()).toBe(false);
  });

  it('are accepted together with a ledger that was changed', async () => {
    const { machine } = await lied();
    await machine.stop();
    machine.tamper(`UPDATE payments SET amount = '1' WHERE id = 'p1'`);
    const run = await machine.start();
    expect(run.integrity.cause).toBe('tampered');
    expect(run.integrity.findings()).toContain(CHANGED.message);
    await run.accept();
    expect(run.integrity.findings()).toEqual([]);
    await machine.stop();
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('stay found where the keys refuse the acceptance', async () => {
    const { machine, run } = await lied();
    const { set } = machine.secrets;
    machine.secrets.set = () => Promise.reject(new Error('refused'));
    await expect(run.accept()).rejects.toThrow('refused');
    expect(run.integrity.findings()).toEqual([CHANGED.message]);
    machine.secrets.set = set;
    await run.accept();
    expect(run.integrity.cause).toBe('none');
  });
});

describe('settings that the owner changes', () => {
  it('are no finding after a kill at once', async () => {
    const machine = createLedgerMachine();
    await (await machine.start()).changeSettings('second');
    machine.kill();
    const run = await machine.start();
    expect(run.integrity.cause).toBe('none');
    expect(machine.settings.text()).toBe('second');
  });

  it('can be put back after a kill before the keys knew of them, and are not half taken', async () => {
    const machine = createLedgerMachine();
    const { set } = machine.secrets;
    const run = await machine.start();
    machine.secrets.set = () => new Promise(() => {});
    void run.changeSettings('second');
    await expect.poll(() => machine.settings.text()).toBe('second');
    machine.kill();
    machine.secrets.set = set;
    const next = await machine.start();
    expect(next.integrity.findings()).toEqual(['config.json was changed outside Bursar. first became second.']);
    expect(next.integrity.canPutBack).toBe(true);
    next.integrity.putSettingsBack();
    expect(machine.settings.text()).toBe('first');
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('end as the last one, where several are changed at once', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    await Promise.all(['a', 'b', 'c'].map((text) => run.changeSettings(text)));
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
    expect(machine.settings.text()).toBe('c');
  });

  it('stay as they were while the keys are locked, or refuse', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    run.lock();
    await expect(run.changeSettings('second')).rejects.toThrow(expect.objectContaining({ code: 'WALLET_LOCKED' }));
    await run.unlock();
    machine.secrets.set = () => Promise.reject(new Error('refused'));
    await expect(run.changeSettings('second')).rejects.toThrow('refused');
    expect(machine.settings.text()).toBe('first');
    expect(run.integrity.cause).toBe('none');
  });

  it('stay as they were where the database takes no copy of them', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    run.refuseRows('guarded_settings', true);
    await expect(run.changeSettings('second')).rejects.toThrow('full');
    expect(machine.settings.text()).toBe('first');
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('before there are any keys are refused, or found changed at the first unlock', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start({ cold: true });
    await run.changeSettings('second');
    await run.unlock();
    expect(run.integrity.cause).toBe('none');
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
    expect(machine.settings.text()).toBe('second');
  });

  it('do not take in on the way what was changed from outside', async () => {
    const { machine, run } = await lied();
    await expect(run.changeSettings('second')).rejects.toThrow(expect.objectContaining(CHANGED));
    expect(machine.settings.text()).toBe('lying');
  });
});

describe('the kind of money that an agent wrote into config.json', () => {
  it('I7: opens the keys of real money where less proof is asked of the owner', async () => {
    const machine = createLedgerMachine();
    machine.settings.environment = 'mainnet';
    (await machine.start()).allow();
    await machine.stop();
    machine.settings.environment = 'testnet';
    const run = await machine.start({ cold: true });
    await expect(run.unlock()).rejects.toThrow(expect.objectContaining({ code: 'HOME_NETWORK_MISMATCH' }));
    expect(run.integrity.verified).toBe(false);
    expect(() => run.allow()).toThrow(expect.objectContaining({ code: 'WALLET_LOCKED' }));
    await expect(run.changeSettings('second')).rejects.toThrow(expect.objectContaining({ code: 'WALLET_LOCKED' }));
    expect(run.integrity.mayRecord()).toBe(false);
    await machine.stop();
    machine.settings.environment = 'mainnet';
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('is noted by the first Bursar that looks at it', async () => {
    const machine = createLedgerMachine();
    await machine.start();
    await machine.stop();
    await forget(machine, 'environment');
    await machine.start();
    machine.kill();
    machine.settings.environment = 'mainnet';
    await expect(machine.start()).rejects.toThrow(expect.objectContaining({ code: 'HOME_NETWORK_MISMATCH' }));
  });
});

describe('what lies with the keys', () => {
  it('I7: is put back to a time before settings were guarded, so that whatever stands in config.json is taken', async () => {
    const machine = createLedgerMachine();
    await machine.start();
    await machine.stop();
    await forget(machine, 'settings');
    machine.settings.put('lying');
    const run = await machine.start();
    expect(run.integrity.cause).toBe('settings');
    expect(() => run.reserve('p1')).toThrow(expect.objectContaining({ code: 'SETTINGS_CHANGED' }));
    expect(() => run.integrity.putSettingsBack()).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    await run.accept();
    machine.kill();
    expect((await machine.start()).integrity.cause).toBe('none');
  });

  it('is lost: the owner who accepts the ledger is not told that the settings count from then on as well', async () => {
    const { machine } = await lied();
    await machine.stop();
    await machine.secrets.delete('integrity');
    const run = await machine.start();
    expect(run.integrity.cause).toBe('tampered');
    expect(run.integrity.findings()).toContainEqual(expect.stringContaining('Look into config.json before you accept it'));
  });

  it('is not written yet, at the very first start or the first with guarded settings, as the run is cut short: that is no finding', async () => {
    const machine = createLedgerMachine();
    const { set } = machine.secrets;
    machine.secrets.set = () => Promise.reject(new Error('cut short'));
    await expect(machine.start()).rejects.toThrow('cut short');
    machine.kill();
    machine.secrets.set = set;
    await machine.start();
    await machine.stop();
    machine.tamper('DELETE FROM guarded_settings');
    await forget(machine, 'settings');
    machine.secrets.set = () => Promise.reject(new Error('cut short'));
    await expect(machine.start()).rejects.toThrow('cut short');
    machine.kill();
    machine.secrets.set = set;
    expect((await machine.start()).integrity.cause).toBe('none');
  });
});

it('a Bursar that did not guard settings left none with the keys: the ones in force are taken at the first start', async () => {
  const machine = createLedgerMachine();
  await machine.start();
  await machine.stop();
  await forget(machine, 'settings');
  machine.tamper('DELETE FROM guarded_settings');
  machine.settings.put('second');
  expect((await machine.start()).integrity.cause).toBe('none');
  machine.kill();
  machine.settings.put('third');
  expect((await machine.start()).integrity.cause).toBe('settings');
});
