// Opens the wallet of a folder in a process of its own and prints how that ended.
import { readdirSync } from 'node:fs';
import { openHome } from '../../../src/main/adapters/home/home.ts';
import { openKeys } from '../../../src/main/adapters/keys/open-keys.ts';
import { createAccounts } from '../../../src/main/adapters/store/accounts.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { toErrorInfo } from '../../../src/shared/errors/errors.ts';

const home = openHome({ environment: 'mainnet', home: process.argv[2]! });
const accounts = createAccounts(openDatabase(home.paths.database));
const code = await openKeys({ home, accounts }).then(
  () => 'opened',
  (error: unknown) => toErrorInfo(error).code,
);
console.log(JSON.stringify({ code, files: readdirSync(home.folder) }));
