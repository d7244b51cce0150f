// Preloaded into the application under soak: on SIGUSR2 it collects all garbage and writes what is left to the file that BURSAR_SOAK_REPORT names.
const { renameSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const path = process.env.BURSAR_SOAK_REPORT;
if (path && process.argv.includes('serve')) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  // Twice: what finalizers let go of in the first is freed in the second; `last-resort` also gives free pages back.
  const collectAll = () => collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
  const tell = () => {
    const resources = {};
    for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
    const { rss, heapUsed, external } = process.memoryUsage();
    writeFileSync(`${path}.new`, JSON.stringify({ rss, heapUsed, external, resources }));
    renameSync(`${path}.new`, path);
  };
  process.on('SIGUSR2', () => void collectAll().then(collectAll).then(tell));
}
