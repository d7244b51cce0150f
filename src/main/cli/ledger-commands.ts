import type { Command } from 'commander';
import { ledgerLines } from './print.ts';
import { JSON_OPTION, type CommandTools } from './tools.ts';

/** `bursar ledger verify | accept | put-back`. */
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
    .description('take what was changed from outside as it stands; where ledger or policy were, the policy begins anew and asks for everything')
    .option('--new', 'begin an empty ledger where bursar.db is lost: budgets count from nothing')
    .option(...JSON_OPTION)
    .action(({ json, new: newLedger = false }: { json?: boolean; new?: boolean }) =>
      withConnection(
        async ({ request }) => {
          const { cause } = await request('ledger.status', {});
          const accepted = await request('ledger.accept', {});
          print(json, accepted, () => [cause === 'tampered' ? 'Accepted. Payments go on; the policy asks for everything until you change it.' : 'Accepted. Payments go on under your policy, which is as it was.']);
        },
        { newLedger },
      ),
    );
  ledger
    .command('put-back')
    .description('put settings back that were changed outside Bursar: RPC servers, facilitators, who settles, claim page')
    .option(...JSON_OPTION)
    .action(({ json }: { json?: boolean }) =>
      withConnection(async ({ request }) => {
        const after = await request('settings.putBack', {});
        print(json, after, () => ['Put back, as you had set them.', ...after.findings]);
      }),
    );
}
