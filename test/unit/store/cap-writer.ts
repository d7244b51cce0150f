// Says that it is ready, waits for a word, reserves one unit after the other as long as the cap allows, and prints how many it got.
import { once } from 'node:events';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { created, newPayment } from './payments.ts';

const [path, name, cap] = [process.argv[2]!, process.argv[3]!, BigInt(process.argv[4]!)];
const journal = createJournal(openDatabase(path), Date);
const reserve = (id: string): boolean =>
  journal.atomically((tx) => {
    if (tx.used('day:') >= cap) return false;
    tx.insert(newPayment(id), [{ counter: 'day:', units: baseUnits(1n) }], created);
    return true;
  });

console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
let got = 0;
while (reserve(`${name}-${got}`)) got += 1;
console.log(got);
