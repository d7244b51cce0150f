// Compiles the two contracts into the committed artifacts (ABI and runtime code). See README.md next to it.
// The compiler is no dependency of the project: its package folder is given as the only argument.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [compilerFolder] = process.argv.slice(2);
if (!compilerFolder) throw new Error('usage: node compile.mjs <folder of the npm package solc>');
const solc = createRequire(import.meta.url)(resolve(compilerFolder));
const contracts = { token: 'PlayUsdc', multicall: 'PlayMulticall' };

for (const [file, contract] of Object.entries(contracts)) {
  const source = `${file}.sol`;
  const output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: 'Solidity',
        sources: { [source]: { content: readFileSync(join(import.meta.dirname, source), 'utf8') } },
        settings: {
          optimizer: { enabled: true, runs: 200 },
          viaIR: true,
          evmVersion: 'cancun',
          metadata: { bytecodeHash: 'none' },
          outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
        },
      }),
    ),
  );
  for (const error of output.errors ?? []) console.error(error.formattedMessage);
  const { abi, evm } = output.contracts[source][contract];
  const artifact = { compiler: solc.version(), abi, runtime: `0x${evm.deployedBytecode.object}` };
  writeFileSync(join(import.meta.dirname, `${file}.json`), `${JSON.stringify(artifact, null, 2)}\n`);
}
