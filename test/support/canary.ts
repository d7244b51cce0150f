import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';

/** A secret that must appear nowhere, in every form that a program could write it in. */
export interface Canary {
  readonly name: string;
  readonly needles: readonly Buffer[];
}

/** How much of a secret has to show up before it counts: half of a key is enough to find the rest. */
const PART = 16;

/**
 * The forms of bytes: themselves, hex, base64 at each of its three alignments, base58, and a list of numbers. `within` are longer bytes that
 * begin with them and are written in base58, which no part of them shows in.
 */
export function canaryOfBytes(name: string, secret: Uint8Array, ...within: readonly Uint8Array[]): Canary {
  const bytes = Buffer.from(secret);
  const parts = [bytes.subarray(0, PART), bytes.subarray(-PART)];
  const texts = parts.flatMap((part) => {
    const hex = part.toString('hex');
    const aligned = [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), part]).toString('base64').replaceAll('=', '');
      // The first and last characters also carry bits of the neighbours.
      return text.slice(Math.ceil((shift * 8) / 6), -1);
    });
    return [hex, hex.toUpperCase(), ...aligned, ...aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')), [...part].join(','), [...part].join(', ')];
  });
  const whole = [...[bytes, ...within].map((each) => base58.encode(each).slice(0, 20)), BigInt(`0x${bytes.toString('hex')}`).toString().slice(0, 30)];
  return { name, needles: [...parts, ...[...texts, ...whole].map((text) => Buffer.from(text))] };
}

/** The forms of words: any four in a row, as prose, as JSON, on lines, or numbered. */
export function canaryOfWords(name: string, words: readonly string[]): Canary {
  const runs = words.slice(0, -3).map((_, at) => words.slice(at, at + 4));
  const joints = [' ', '","', '", "', ',', ', ', '\n', '-', '\\n'];
  return { name, needles: runs.flatMap((run) => joints.map((joint) => Buffer.from(run.join(joint)))) };
}

/** Which canaries stand in some bytes. One pass over them: the first two bytes of a needle say where to look closer. */
export function found(canaries: readonly Canary[], bytes: Uint8Array): string[] {
  const hay = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const byStart = new Map<number, { readonly name: string; readonly needle: Buffer }[]>();
  const starts = new Uint8Array(0x10000);
  for (const { name, needles } of canaries) {
    for (const needle of needles) {
      const start = needle.readUInt16BE(0);
      starts[start] = 1;
      byStart.set(start, [...(byStart.get(start) ?? []), { name, needle }]);
    }
  }
  const names = new Set<string>();
  for (let at = 0, pair = hay[0] ?? 0; at < hay.length - 1; at += 1) {
    pair = ((pair & 0xff) << 8) | hay[at + 1]!;
    if (starts[pair] === 0) continue;
    for (const { name, needle } of byStart.get(pair) ?? []) if (hay.subarray(at, at + needle.length).equals(needle)) names.add(name);
  }
  return [...names];
}

/** Every file below a folder, with its bytes. Sockets and what vanishes meanwhile are left out. */
export function filesBelow(folder: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    try {
      return statSync(path).isFile() ? [{ path, bytes: readFileSync(path) }] : [];
    } catch {
      return [];
    }
  });
}

/** Environment and command line of a process and of all that it started (Linux). */
export function processesBelow(pid: number): readonly { readonly path: string; readonly bytes: Buffer }[] {
  const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), parentOf(name)]));
  const family = [pid];
  for (const member of family) family.push(...[...parents].filter(([, parent]) => parent === member).map(([child]) => child));
  return family.flatMap((member) => ['environ', 'cmdline'].flatMap((file) => {
    try {
      return [{ path: `/proc/${member}/${file}`, bytes: readFileSync(`/proc/${member}/${file}`) }];
    } catch {
      return [];
    }
  }));
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
