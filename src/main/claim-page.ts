import { mkdir, readdir, readFile, writeFile, copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ClaimPageConfig } from '../shared/contract/escrows.ts';
import { BursarError } from '../shared/errors/errors.ts';

const PAGE = 'claim.html';
const INDEX = 'index.html';
const EMPTY_CONFIG = '<meta name="bursar-config" content="" />';
const LOADED = /(?:src|href)="\.\/([\w./-]+)"/g;

/**
 * Writes the claim page, ready for any static host: `index.html` and what it loads, with a content security policy that lets it speak to the
 * servers of `config` alone. It holds no link and no key. Gives the files. Throws `NOT_FOUND` where the pages were not built, `INPUT_INVALID` for
 * a folder that holds something else.
 */
export async function exportClaimPage(folder: string, { pages, config }: { readonly pages: string; readonly config: ClaimPageConfig }): Promise<readonly string[]> {
  const html = await readFile(join(pages, PAGE), 'utf8').catch((cause: unknown) => {
    throw new BursarError('NOT_FOUND', `The built pages in ${pages} are incomplete.`, { hint: 'Build them with: npm run build', cause });
  });
  if (!html.includes(EMPTY_CONFIG)) throw new BursarError('INTERNAL', 'The built claim page has no place for its settings.');
  await mkdir(folder, { recursive: true });
  const there = await readdir(folder);
  if (there.length > 0 && !there.includes(INDEX)) throw new BursarError('INPUT_INVALID', `The folder ${folder} holds something else.`, { hint: 'Give an empty folder, or one that the page was written to before.' });
  const loaded = [...new Set([...html.matchAll(LOADED)].map(([, file = '']) => file))];
  for (const file of loaded) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(pages, file), join(folder, file));
  }
  await writeFile(join(folder, INDEX), withSettings(html, config));
  return [INDEX, ...loaded];
}

function withSettings(html: string, config: ClaimPageConfig): string {
  const urls = [...Object.values(config.facilitators), ...Object.values(config.rpcUrls)].flat();
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  const policy = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", `connect-src ${origins.join(' ') || "'none'"}`, "base-uri 'none'", "form-action 'none'"].join('; ');
  const meta = (name: string, content: string) => `<meta ${name} content="${content.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')}" />`;
  return html.replace(EMPTY_CONFIG, () => meta('name="bursar-config"', JSON.stringify(config))).replace('<meta charset="utf-8" />', (first) => `${first}\n    ${meta('http-equiv="Content-Security-Policy"', policy)}`);
}
