import { join, relative, sep } from 'node:path';
import type { ImportGraph } from './import-graph.ts';

/** What a layer may import beside itself. A package stands for its subpaths too. */
interface Layer {
  readonly layers: readonly string[];
  readonly allows: (specifier: string) => boolean;
}

const isPackage = (specifier: string, name: string) => specifier === name || specifier.startsWith(`${name}/`);
const anyOf = (...names: string[]) => (specifier: string) => names.some((name) => isPackage(specifier, name));
const isNodeBuiltin = (specifier: string) => specifier.startsWith('node:');

/** Stock x402 and the virtual machines: the world that the application is tested against, never a part of it. */
const isTestWorld = anyOf('@x402/core', '@x402/evm', '@x402/svm', 'litesvm', '@foundry-rs/anvil');
const isElectron = anyOf('electron');
const isNative = anyOf('better-sqlite3', '@napi-rs/keyring', 'ws', 'viem', '@solana/kit', 'pino', 'commander');

/** The design's layers, for the folders of `src/`. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  shared: { layers: [], allows: anyOf('zod') },
  core: { layers: ['shared'], allows: anyOf('@noble/hashes', '@scure/base') },
  main: { layers: ['core', 'shared'], allows: (name) => !isTestWorld(name) },
  preload: { layers: ['shared'], allows: isElectron },
  renderer: { layers: ['shared'], allows: (name) => !isNodeBuiltin(name) && !isElectron(name) && !isTestWorld(name) && !isNative(name) },
  sandbox: { layers: ['shared'], allows: (name) => !isElectron(name) },
};

const LOWER_MAIN = new Set(['access', 'adapters', 'bridge', 'clients', 'discovery', 'escrow', 'rails', 'rpc', 'upstream-auth', 'wallet', 'wallet-tools']);
const MAIN_ENTRIES = new Set(['index.ts', 'headless.ts', 'cli.ts', 'shim.ts']);

/** Where a module lies: its layer, and inside `main` the folder or file next to it. */
function placeOf(src: string, path: string) {
  const [layer = '', part = ''] = relative(src, path).split(sep);
  return { layer, part };
}

function fileViolation(src: string, from: string, to: string): string | undefined {
  const [source, target] = [placeOf(src, from), placeOf(src, to)];
  if (source.layer === 'main' && to === join(src, '..', 'package.json')) return undefined; // its version
  if (target.layer !== source.layer) {
    return LAYERS[source.layer]?.layers.includes(target.layer) ? undefined : `${source.layer} must not import ${target.layer}`;
  }
  if (source.layer !== 'main' || source.part === target.part) return undefined;
  if (target.part === 'host' && source.part !== 'index.ts') return 'only the Electron entry may import host';
  const upper = target.part === 'compose.ts' || MAIN_ENTRIES.has(target.part);
  return LOWER_MAIN.has(source.part) && upper ? `${source.part} must not import ${target.part}, which is above it` : undefined;
}

function packageViolation(src: string, from: string, specifier: string): string | undefined {
  const { layer, part } = placeOf(src, from);
  if (layer === 'main' && part !== 'host' && isElectron(specifier)) return 'only host may import electron';
  return LAYERS[layer]?.allows(specifier) ? undefined : `${layer} must not import ${specifier}`;
}

/** Every import of the graph that a wall forbids, as `file: why`. `src` is the folder that holds the layers. */
export function layerViolations(src: string, graph: ImportGraph): readonly string[] {
  return [...graph.values()].flatMap(({ path, files, packages }) => {
    const found = [...files.map((to) => fileViolation(src, path, to)), ...packages.map((name) => packageViolation(src, path, name))];
    return found.filter((why) => why !== undefined).map((why) => `${relative(src, path)}: ${why}`);
  });
}
