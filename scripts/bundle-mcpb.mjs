// npm run bundle:mcpb: dist/bursar.mcpb, which clients that know MCP bundles install with a click: the shim, on the client's own Node.
// Validated and packed by the format's own tool, then looked at again as a client unpacks it.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { root, runNode, toolPath } from './lib/run.mjs';

await ensureBuilt();
const mcpb = async (...args) => {
  const code = await runNode(toolPath('@anthropic-ai/mcpb'), args);
  if (code !== 0) process.exit(code);
};

const folder = join(root, 'dist', 'mcpb');
const bundle = join(root, 'dist', 'bursar.mcpb');
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'server'), { recursive: true });
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const manifest = { ...JSON.parse(readFileSync(join(root, 'resources', 'mcpb', 'manifest.json'), 'utf8')), version };
writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(root, 'resources', 'icon.png'), join(folder, 'icon.png'));
cpSync(join(root, 'out', 'main', 'shim.js'), join(folder, 'server', 'index.mjs'));
cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
cpSync(join(root, 'out', 'main', 'shim-licenses.md'), join(folder, 'licenses.md'));
await mcpb('validate', join(folder, 'manifest.json'));
await mcpb('pack', folder, bundle);

const unpacked = mkdtempSync(join(tmpdir(), 'bursar-mcpb-'));
try {
  await mcpb('unpack', bundle, unpacked);
  for (const file of ['manifest.json', 'icon.png', 'LICENSE', 'licenses.md', join('server', 'index.mjs')]) statSync(join(unpacked, file));
} finally {
  rmSync(unpacked, { recursive: true, force: true });
}
console.log(`${bundle}: ${Math.ceil(statSync(bundle).size / 1024)} KB`);
