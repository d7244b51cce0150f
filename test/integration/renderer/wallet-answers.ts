import type { AccountView, BalanceView } from '../../../src/shared/contract/accounts.ts';
import type { ContactView } from '../../../src/shared/contract/contacts.ts';
import type { SendQuote } from '../../../src/shared/contract/sends.ts';
import type { AssetView } from '../../../src/shared/contract/values.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import type { PageWorld } from './page-world.ts';

export const OWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
export const WATCHED = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
export const ADA = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const usdc = (network: string, networkName: string): AssetView => ({ network, networkName, address: `usdc-of-${network}`, symbol: 'USDC', decimals: 6 });
export const BASE_USDC: AssetView = { ...usdc('eip155:84532', 'Base Sepolia'), address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' };
export const ETH: AssetView = { ...BASE_USDC, address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', symbol: 'ETH', decimals: 18 };
export const SOLANA_USDC: AssetView = usdc('solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'Solana Devnet');

export const anAccount = (id: string, changes: Partial<AccountView> = {}): AccountView => ({ id, label: `Account ${id}`, namespace: 'eip155', address: OWN, source: 'seed', ...changes });

const ACCOUNTS: readonly AccountView[] = [
  anAccount('a', { label: 'Everyday' }),
  anAccount('b', { label: 'On Solana', namespace: 'solana', address: SOLANA, source: 'imported' }),
  anAccount('c', { label: 'Savings', address: WATCHED, source: 'watch' }),
  anAccount('d', { label: 'Old one', address: ADA, hidden: true }),
];

const BALANCES: readonly BalanceView[] = [
  { accountId: 'a', asset: BASE_USDC, balance: { asset: BASE_USDC, units: '12340000' }, readAt: 1, stale: false },
  { accountId: 'a', asset: ETH, balance: { asset: ETH, units: '1200000000000000' }, readAt: 1, stale: false },
  { accountId: 'b', asset: SOLANA_USDC, balance: { asset: SOLANA_USDC, units: '5000000' }, readAt: 1_700_000_000_000, stale: true },
  { accountId: 'c', asset: BASE_USDC, stale: true },
];

export const aContact = (number: number, changes: Partial<ContactView> = {}): ContactView => ({ number, name: `Contact ${number}`, email: '', phone: '', note: '', addresses: [], warnings: [], createdAt: 1, ...changes });

export const CONTACTS: readonly ContactView[] = [
  aContact(1, { name: 'Ada Lovelace', email: 'ada@example.org', phone: '+4930123456', note: 'Translations', addresses: [{ chain: 'eip155', address: ADA, warnings: [] }, { chain: 'solana', address: SOLANA, warnings: ['This is an account of this wallet.'] }] }),
  aContact(3, { name: 'Ada LoveIace', addresses: [{ chain: 'eip155:84532', address: WATCHED, warnings: [] }], warnings: ['Contact 1 has a name that looks the same.'] }),
  aContact(4, { name: 'Grace', email: 'grace@example.org' }),
];

export const aQuote = (changes: Partial<SendQuote> = {}): SendQuote => ({
  recipient: 'contact 1 (Ada Lovelace)',
  paymentType: 'direct',
  payee: ADA,
  money: { asset: BASE_USDC, units: '1500000' },
  fees: [{ asset: ETH, units: '21000000000000' }],
  payer: OWN,
  payerLabel: 'Everyday',
  warnings: [],
  others: [],
  ...changes,
});

/** What a wallet with a bit of everything answers. */
export function answerAsWallet({ answers }: PageWorld): void {
  Object.assign(answers, {
    'app.status': () => ({
      version: '0.1.0',
      environment: 'testnet',
      host: 'headless',
      home: '/home',
      commandLine: 'npm run -s bursar --',
      mcpUrl: 'http://127.0.0.1:1/mcp',
      keys: { backend: 'keychain', locked: false, passphraseBeside: false },
      networks: [{ network: 'eip155:84532', name: 'Base Sepolia', reachable: true }, { network: SOLANA_USDC.network, name: 'Solana Devnet', reachable: true }],
      warnings: [],
    }),
    'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false, lockAfterMinutes: 60 }),
    'approvals.waiting': () => ({ waiting: [] }),
    'policy.get': () => ({ number: 7, savedAt: 0, author: 'owner', policy: defaultPolicy('UTC') }),
    'accounts.list': ({ all }: { all?: boolean }) => ({ accounts: ACCOUNTS.filter(({ hidden }) => all || !hidden), balances: BALANCES }),
    'accounts.alerts': () => ({ alerts: [{ asset: BASE_USDC, amount: '5.00' }] }),
    'accounts.receive': () => ({ accounts: [{ accountId: 'a', label: 'Everyday', address: OWN, networks: [{ network: 'eip155:84532', name: 'Base Sepolia', tokens: ['USDC'] }], warning: 'Send only tokens on Base Sepolia here.' }] }),
    'seeds.list': () => ({ seeds: [{ id: 'main', label: 'Main wallet', words: 12, addedAt: 1 }, { id: 's1', label: 'Old phone', words: 24, addedAt: 1, revealedAt: 1_700_000_000_000 }] }),
    'backup.status': () => ({ lastAt: 1_700_000_000_000 }),
    'presence.get': () => ({ above: '1.00', byDefault: true, methods: ['passphrase'], passkeys: [], canAddPasskey: true }),
    'secrets.hidden': () => ({}),
    'contacts.list': () => ({ contacts: CONTACTS }),
  });
}
