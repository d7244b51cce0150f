import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson, toPlain } from '../../../core/json/json.ts';
import { findNetwork } from '../../../core/registry/networks.ts';
import { Environment } from '../../../shared/contract/app.ts';
import { OnboardingStep } from '../../../shared/contract/onboarding.ts';
import { NotificationKind } from '../../../shared/contract/settings.ts';
import { DecimalText } from '../../../shared/contract/values.ts';
import { BursarError, isBursarError } from '../../../shared/errors/errors.ts';
import { firstIssue, issueWords } from '../../../shared/errors/issue-words.ts';
import { writeFileAtomically } from './files.ts';

const NetworkConfig = z.strictObject({
  /** Asked in order; on real networks at least two independent ones should agree (I5). */
  rpcUrls: z.array(z.url({ protocol: /^https?$/ })).min(1).max(10),
  /** Blocks after which a settlement is final, on an EVM chain that has no finalized block of its own. */
  confirmations: z.int().min(1).max(100_000).optional(),
});

/** Content of `config.json`. It holds no secret. */
export const Config = z
  .strictObject({
    version: z.literal(1),
    environment: Environment,
    /** Tells the keychain items of this folder from those of another. */
    homeId: z.string().regex(/^[0-9a-f]{16}$/),
    /** Port of the local HTTP server. */
    port: z.int().min(0).max(65_535),
    /** Enabled networks by CAIP-2 id. */
    networks: z.record(z.string(), NetworkConfig),
    /** Who settles what Bursar settles itself, by CAIP-2 id or `*` for every other network; the first one is asked first. */
    facilitators: z.record(z.string().max(80), z.array(z.url({ protocol: /^https?$/ })).min(1).max(10)).optional(),
    /** Upstreams and hosts whose payments Bursar settles itself before the retry; on a standard seller that would burn the payment. */
    clientSettlement: z.array(z.string().min(1).max(253)).max(200).optional(),
    /** What the owner knows better of a client, by its registered name: within how many seconds a call has to be answered. */
    clients: z.record(z.string().max(80), z.strictObject({ answerWithinSeconds: z.number().min(1).max(3600) })).optional(),
    /** Where people without a wallet claim what they were sent, and for how long they can. */
    claims: z.strictObject({ pageUrl: z.string().max(2000), expiryDays: z.int().min(1).max(365) }).optional(),
    /** Below how much of a token, by its CAIP-19 id, the owner is warned; in whole tokens, all accounts together. */
    lowBalance: z.record(z.string().max(200), DecimalText).optional(),
    /** False keeps agents from reading in a tool's description what it costs. */
    costInDescriptions: z.boolean().optional(),
    /** Where Bursar's client id metadata document is published, for authorization servers that take such (CIMD). */
    clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
    /** Minutes without an act of the owner after which the keys are locked; 0: never. */
    lockAfterMinutes: z.int().min(0).max(10_080).optional(),
    /** When the desktop application locks the keys beside that. */
    lockOn: z.strictObject({ screenLock: z.boolean(), sleep: z.boolean() }).optional(),
    /** False: the desktop application does not look for newer versions of itself. */
    checkForUpdates: z.boolean().optional(),
    /** When the last backup was made (ms). */
    backedUpAt: z.int().nonnegative().optional(),
    /** Addresses of the Bazaars that are searched, in place of the built-in ones. */
    bazaars: z.array(z.url({ protocol: /^https?$/ })).max(20).optional(),
    /** What the desktop tells its owner of; what is not named is told. */
    notifications: z.partialRecord(NotificationKind, z.boolean()).optional(),
    /** How far the owner came with the first steps. */
    onboarding: z.strictObject({ closed: z.boolean(), passed: z.array(OnboardingStep).max(3) }).optional(),
    /** Which store holds the keys, chosen once. `created` is true from when the keys are in it; from then on a missing one is an error. */
    keys: z.strictObject({ backend: z.enum(['keychain', 'vault']), created: z.boolean() }).optional(),
  })
  .superRefine((config, context) => {
    for (const id of Object.keys(config.networks)) {
      const why = networkProblem(config.environment, id);
      if (why) context.addIssue({ code: 'custom', path: ['networks', id], message: why });
    }
  });
export type Config = z.infer<typeof Config>;

/** Why a network cannot be used in an environment: it is not known, or its money is of the other kind. */
export function networkProblem(environment: Environment, id: string): string | undefined {
  const network = findNetwork(id);
  if (!network) return 'is not a known network';
  if (network.real !== (environment === 'mainnet')) return `does not belong into a ${environment} data folder`;
  return undefined;
}

/** Public endpoints, on real networks of two independent operators (I5); the owner replaces them with `bursar network set`. */
export const DEFAULT_NETWORKS: Readonly<Record<Environment, Config['networks']>> = {
  sandbox: {},
  testnet: {
    'eip155:84532': { rpcUrls: ['https://sepolia.base.org', 'https://base-sepolia-rpc.publicnode.com'] },
    'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': { rpcUrls: ['https://api.devnet.solana.com'] },
  },
  mainnet: {
    'eip155:8453': { rpcUrls: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com'] },
    'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': { rpcUrls: ['https://api.mainnet-beta.solana.com', 'https://solana-rpc.publicnode.com'] },
  },
};

/** A port of its own for each kind of money, so that the three can run side by side and a client's config stays valid. */
const DEFAULT_PORTS: Readonly<Record<Environment, number>> = { mainnet: 4402, testnet: 4403, sandbox: 4404 };

/** The configuration of a new data folder. */
export const defaultConfig = (environment: Environment, homeId: string): Config => ({
  version: 1,
  environment,
  homeId,
  port: DEFAULT_PORTS[environment],
  networks: DEFAULT_NETWORKS[environment],
});

/** Reads a configuration file; undefined when there is none. Throws `CONFIG_CORRUPT`, naming line and column or the field. */
export function readConfig(path: string): Config | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8');
  let json: unknown;
  try {
    json = toPlain(parseJson(text));
  } catch (error) {
    if (!isBursarError(error, 'JSON_INVALID')) throw error;
    const { line, column } = placeOf(text, Number(error.context.position));
    throw corrupt(path, `is not valid JSON at line ${line}, column ${column}`, { line: String(line), column: String(column) });
  }
  const parsed = Config.safeParse(json, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { field: at, words } = firstIssue(parsed.error);
  const field = at || '(top level)';
  throw corrupt(path, `has a wrong value in ${field}: ${words}`, { field });
}

/** Writes a configuration file in one step. */
export const writeConfig = (path: string, config: Config): void => writeFileAtomically(path, `${JSON.stringify(Config.parse(config), null, 2)}\n`);

const corrupt = (path: string, why: string, context: Record<string, string>) =>
  new BursarError('CONFIG_CORRUPT', `The configuration file ${path} ${why}.`, { context: { path, ...context } });

function placeOf(text: string, position: number): { line: number; column: number } {
  const before = text.slice(0, position).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
