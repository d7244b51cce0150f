import type { SettingsView } from '../../../src/shared/contract/settings.ts';

const BASE = { network: 'eip155:8453', name: 'Base', enabled: true, rpcUrls: ['https://rpc.example/key'], builtIn: ['https://a.example', 'https://b.example'], faucets: [] };
const POLYGON = { network: 'eip155:137', name: 'Polygon', enabled: false, rpcUrls: [], builtIn: [], faucets: [] };

/** Settings of real money in the desktop application. */
export const someSettings = (): SettingsView => ({
  networks: [BASE, POLYGON],
  networksChange: true,
  notifications: { supported: true, on: { approvals: true, warnings: false } },
  autostart: { supported: true, on: false },
  folder: { path: '/home/somebody/.local/share/bursar/mainnet', opens: true },
  starts: { sandbox: 'npm start -- --network sandbox', testnet: 'npm start -- --network testnet', mainnet: 'npm start -- --network mainnet' }, startsByItself: false,
  reset: { word: 'move', keeps: true, passphrase: true },
});
