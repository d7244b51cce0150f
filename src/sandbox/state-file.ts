import { readFile, rename, writeFile } from 'node:fs/promises';

/** The file's bytes, or undefined where there is none. */
export async function readFileIfAny(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file in one step: a reader, or a restart after a crash, sees the old or the new content. */
export async function writeFileAtomically(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}
