import type { Command } from 'commander';
import { ledgerLines } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar ledger verify | accept`. */
export function addLedgerCommands(program: Command, { withConnection, print, foundWrong }: CommandTools): void {
  const ledger = program.command('ledger').description('whether ledger and policy are as Bursar wrote them');
  ledger
    .command('verify')
    .description('read the whole ledger; exit code 1 if something was changed from outside')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const verified = await request('ledger.verify', {});
        print(json, verified, () => ledgerLines(verified));
        if (verified.findings.length > 0) foundWrong();
      }),
    );
  ledger
    .command('accept')
    .description('take a ledger that was changed from outside as it stands; the policy begins anew and asks for everything')
    .option('--new', 'begin an empty ledger where bursar.db is lost: budgets count from nothing')
    .option(...JSON_OPTION)
    .action(({ json, new: newLedger = false }: { json?: boolean; new?: boolean }) =>
      withConnection(
        async ({ request }) => {
          const accepted = await request('ledger.accept', {});
          print(json, accepted, () => ['Accepted. Payments go on; the policy asks for everything until you change it.']);
        },
        { newLedger },
      ),
    );
}
