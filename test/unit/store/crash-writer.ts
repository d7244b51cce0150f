// Writes payments as fast as it can and prints each id once it is committed, until it is killed.
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { created, newPayment } from './payments.ts';

const journal = createJournal(openDatabase(process.argv[2]!), Date);
for (let number = 0; ; number += 1) {
  const id = `p${number}`;
  journal.atomically((tx) => tx.insert(newPayment(id), [{ counter: 'day:', units: baseUnits(7n) }], created));
  writeSync(1, `${id}\n`);
}
