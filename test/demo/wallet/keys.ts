import assert from 'node:assert/strict';
import { join } from 'node:path';
import { getAddressEncoder, address as solanaAddress } from '@solana/kit';
import { mnemonicToAccount } from 'viem/accounts';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import type { EscrowView } from '../../../src/shared/contract/escrows.ts';
import { ownerContract } from '../../support/contract.ts';
import { evmAccount, random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { until, usdc, type Step } from './steps.ts';
import { EVM, PASSPHRASE, SOLANA } from './world.ts';

type Listed = RouteOutput<'accounts.list'>;
/** Known to everyone. */
const OLD_WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

export const accounts: Step = {
  step: 'accounts are made, restored, imported and watched',
  async run({ json, held }) {
    const restored = await json<{ accounts: { address: string }[] }>(['account', 'restore', '--label', 'Old'], `${OLD_WORDS}\n`);
    assert.equal(restored.accounts[0]?.address, mnemonicToAccount(OLD_WORDS).address);
    const made = await json<{ address: string }>(['account', 'new', '--namespace', 'eip155', '--label', 'Groceries']);
    const evmKey = random(32);
    const imported = await json<{ address: string }>(['account', 'import', '--namespace', 'eip155', '--label', 'Imported'], Buffer.from(evmKey).toString('hex'));
    assert.equal(imported.address, evmAccount(evmKey).address);
    const solanaKey = random(32);
    const { address } = await solanaAccount(solanaKey);
    const keypair = JSON.stringify([...solanaKey, ...getAddressEncoder().encode(solanaAddress(address))]);
    assert.equal((await json<{ address: string }>(['account', 'import', '--namespace', 'solana', '--label', 'Keypair'], keypair)).address, address);
    await json(['account', 'watch', '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', '--namespace', 'eip155', '--label', 'Cold']);
    // The faucet gives every account that can pay its play money, on the chain.
    const gifts = await Promise.all([held(EVM, made.address), held(EVM, imported.address), held(SOLANA, address)]);
    assert.ok(gifts.every((units) => units > 0n), 'an account got no play money');
    const { accounts: all } = await json<Listed>(['account', 'list', '--all']);
    return `${all.length} accounts; the new ones hold ${gifts.map(usdc).join(', ')}`;
  },
};

export const reveal: Step = {
  step: 'the words are shown for the passphrase alone',
  async run({ contract, cli, json }) {
    const [seed] = (await contract.request('seeds.list', {})).seeds;
    await assert.rejects(contract.request('seeds.reveal', { seed: seed!.id, passphrase: `${PASSPHRASE}!` }), { code: 'PASSPHRASE_WRONG' });
    await assert.rejects(cli(['account', 'reveal']), /shown on a terminal alone/);
    const { words } = await contract.request('seeds.reveal', { seed: seed!.id, passphrase: PASSPHRASE });
    const own = (await json<Listed>(['account', 'list'])).accounts.find(({ namespace, source }) => namespace === 'eip155' && source === 'seed');
    assert.equal(mnemonicToAccount(words.join(' ')).address, own?.address);
    return `a wrong passphrase and a pipe were refused; ${words.length} words lead to ${own?.address}`;
  },
};

export const balances: Step = {
  step: 'balances are what the chains hold',
  async run({ json, held }) {
    const read = async () => {
      const { accounts: all, balances: shown } = await json<Listed>(['account', 'list']);
      const rows = shown.filter(({ asset }) => asset.symbol === 'USDC' && (asset.network === EVM || asset.network === SOLANA));
      return Promise.all(
        rows.map(async ({ accountId, asset, balance }) => {
          const { address = '', source } = all.find(({ id }) => id === accountId) ?? {};
          return { address, source, network: asset.network, shown: balance?.units ?? '', onChain: (await held(asset.network, address)).toString() };
        }),
      );
    };
    const rows = await until(read, (found) => found.length > 0 && found.every(({ shown, onChain }) => shown === onChain));
    const { accounts: receive } = await json<RouteOutput<'accounts.receive'>>(['account', 'receive']);
    assert.ok(receive.every(({ warning }) => /Base Sepolia|Solana Devnet/.test(warning)), 'a receiving address names no network');
    return rows.map(({ address, network, shown }) => `${address.slice(0, 8)}… ${network.split(':')[0]} ${usdc(BigInt(shown))}`).join('; ');
  },
};

export const backup: Step = {
  step: 'everything comes back from one encrypted file',
  async run({ cli, json, folder, startOver, held }) {
    const file = join(folder, 'all.backup');
    const { bytes } = await json<{ bytes: number }>(['backup', file]);
    const home = join(folder, 'restored');
    await cli(['restore', file, '--check']);
    await cli(['restore', file, '--vault'], '', home);
    const before = await json<Listed>(['account', 'list', '--all']);
    const sent = (await json<{ escrows: readonly EscrowView[] }>(['escrow', 'list'])).escrows.length;
    const people = (await json<RouteOutput<'contacts.list'>>(['contact', 'list'])).contacts.length;
    const app = await startOver(home);
    try {
      const contract = await ownerContract(home);
      try {
        const after = await contract.request('accounts.list', { all: true });
        assert.deepEqual(after.accounts, before.accounts);
        assert.equal((await contract.request('contacts.list', {})).contacts.length, people);
        assert.equal((await contract.request('escrows.list', {})).escrows.length, sent);
        // Nothing is paid there before the owner says that what was paid since the backup may count for nothing.
        await assert.rejects(contract.request('sends.send', { to: { contact: 1 }, amount: '0.01' }), { code: 'LEDGER_RESTORED' });
        const own = after.accounts.find(({ namespace, source }) => namespace === 'eip155' && source === 'seed')!;
        const shown = await until(
          async () => (await contract.request('accounts.list', { all: true })).balances.find(({ accountId, asset }) => accountId === own.id && asset.symbol === 'USDC')?.balance?.units,
          (units) => units !== undefined,
        );
        assert.equal(shown, (await held(EVM, own.address)).toString());
        return `${bytes} bytes; ${after.accounts.length} accounts, ${people} contacts and ${sent} sent links came back, and ${own.address.slice(0, 8)}… holds ${usdc(BigInt(shown))} there too`;
      } finally {
        contract.close();
      }
    } finally {
      await app.stop();
    }
  },
};
