import type { RouteName } from '../shared/contract/contract.ts';

/**
 * The routes that each page may name. Written out, because a preload that derived them would carry the whole contract with its
 * parser; a test holds them against the access of every route. Main's gate decides again for itself.
 */
export const DASHBOARD_ROUTES = [
  'app.status',
  'ledger.accept',
  'ledger.status',
  'ledger.verify',
  'networks.set',
  'app.checkup',
  'facilitators.list',
  'facilitators.set',
  'facilitators.reset',
  'accounts.list',
  'accounts.import',
  'accounts.addDev',
  'accounts.addStripe',
  'accounts.payFrom',
  'approvals.waiting',
  'payments.list',
  'payments.spend',
  'payments.detail',
  'payments.dispute',
  'payments.withdraw',
  'payments.cancelCost',
  'payments.cancel',
  'payments.pardon',
  'policy.get',
  'policy.set',
  'policy.pause',
  'policy.resume',
  'policy.simulate',
  'upstreams.list',
  'upstreams.prices',
  'upstreams.add',
  'upstreams.remove',
  'upstreams.test',
  'upstreams.setSettlement',
  'clients.list',
  'clients.preview',
  'clients.register',
  'clients.undo',
  'clients.add',
  'clients.token',
  'owner.status',
  'owner.setPassphrase',
  'owner.unlock',
  'owner.lock',
] as const satisfies readonly RouteName[];

/** What it takes to show one request, to unlock, and to answer. */
export const APPROVAL_ROUTES = [
  'app.status',
  'approvals.current',
  'approvals.report',
  'approvals.decide',
  'owner.status',
  'owner.unlock',
] as const satisfies readonly RouteName[];
