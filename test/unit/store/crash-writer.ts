// Writes payments as fast as it can and prints each id once it is committed, until it is killed.
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { created, newPayment, use } from './payments.ts';

const journal = createJournal(openDatabase(process.argv[2]!), Date);
for (let number = 0; ; number += 1) {
  const id = `p${number}`;
  journal.atomically((tx) => tx.insert(newPayment(id), [use(7n)], created));
  writeSync(1, `${id}\n`);
}
