import type { Clock, Log } from '../../core/ports.ts';
import { ROUTES, type RouteName } from '../../shared/contract/contract.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { ActivityLog } from '../adapters/store/activity.ts';
import type { Act } from './router.ts';

/** What leaves a record elsewhere (payments, policy versions, acceptances), or changes nothing. */
const ELSEWHERE: readonly RouteName[] = [
  'approvals.decide', 'approvals.active', 'approvals.proposeRule', 'approvals.saveRule', 'payments.buy', 'payments.withdraw', 'payments.cancel', 'sends.quote', 'sends.send', 'escrows.quote',
  'policy.set', 'policy.pause', 'policy.resume', 'ledger.accept', 'contacts.list', 'owner.active', 'presence.set', 'presence.passkeys.begin', 'onboarding.buy', 'settings.checkRpc', 'settings.openFolder', 'settings.start',
];

/** Fields that say what something was done to, the first one that is there. Names of contacts are sealed, so those are told by number; secrets are in none of these. */
const SUBJECTS = ['number', 'kind', 'name', 'label', 'upstream', 'client', 'accountId', 'network', 'seed', 'url', 'path', 'asset', 'minutes', 'id'] as const;

/** Writes down what the owner did, and that somebody tried with a wrong passphrase. A log that cannot be written stops nothing that was done already. */
export const recordActs =
  ({ activity, clock, log, changed }: { readonly activity: Pick<ActivityLog, 'add'>; readonly clock: Pick<Clock, 'now'>; readonly log: Log; readonly changed: () => void }) =>
  ({ route, input, answer, caller, outcome }: Act): void => {
    if (ELSEWHERE.includes(route) || (outcome !== '' && outcome !== 'PASSPHRASE_WRONG')) return;
    try {
      activity.add({ at: clock.now(), author: `owner, ${caller.surface}`, act: route, subject: subjectOf(route, input, answer), outcome });
      changed();
    } catch (error) {
      log.error('an entry of the activity log was lost', { route, reason: toErrorInfo(error).message });
    }
  };

function subjectOf(route: RouteName, input: unknown, answer: unknown): string {
  if (route === 'contacts.add') return String(ROUTES['contacts.add'].output.safeParse(answer).data?.number ?? '');
  // The names alone: the text has secrets in it.
  if (route === 'upstreams.addPasted') return cleanText(ROUTES['upstreams.addPasted'].input.parse(input).add.map(({ name }) => name).join(', '), 200);
  const fields = new Map<string, unknown>(Object.entries(Object(input)));
  const value = SUBJECTS.map((field) => fields.get(field)).find((one) => typeof one === 'string' || typeof one === 'number');
  return value === undefined ? '' : cleanText(String(value), 200);
}
