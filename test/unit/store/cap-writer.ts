// Says that it is ready, waits for a word, reserves one unit after the other as long as the cap allows, and prints how many it got.
import { once } from 'node:events';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { created, dayCap, newPayment, policyOf, use } from './payments.ts';

const [path, name, cap] = [process.argv[2]!, process.argv[3]!, BigInt(process.argv[4]!)];
const journal = createJournal(openDatabase(path), Date);
const policy = policyOf(dayCap);
// Not before the journal's clock, and the same day for every writer.
const held = use(1n, { at: 4_000_000_000_000 });
const reserve = (id: string): boolean =>
  journal.atomically((tx) => {
    if (tx.used(policy, 0, held) >= cap) return false;
    tx.insert(newPayment(id), [held], created);
    return true;
  });

console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();
let got = 0;
while (reserve(`${name}-${got}`)) got += 1;
console.log(got);
