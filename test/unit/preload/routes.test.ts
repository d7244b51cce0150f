import { expect, test } from 'vitest';
import { APPROVAL_ROUTES, DASHBOARD_ROUTES } from '../../../src/preload/routes.ts';
import { ROUTES, type RouteName } from '../../../src/shared/contract/contract.ts';

const routes = Object.entries(ROUTES) as [RouteName, (typeof ROUTES)[RouteName]][];

test('the dashboard preload lets a route of the contract out, or the right to decide in', () => {
  // app.dashboard prints a sign-in address for a browser, and payments.buy is a command: a window of Electron needs neither.
  const expected = routes.filter(([name, { access }]) => access !== 'decide' && name !== 'app.dashboard' && name !== 'payments.buy').map(([name]) => name);
  expect([...DASHBOARD_ROUTES].toSorted()).toEqual(expected.toSorted());
});

test('the approval preload misses a decide route, or can change what decides', () => {
  const deciding = routes.filter(([, { access }]) => access === 'decide').map(([name]) => name);
  expect(APPROVAL_ROUTES).toEqual(expect.arrayContaining(deciding));
  expect(APPROVAL_ROUTES.filter((name) => ROUTES[name].access === 'owner')).toEqual([]);
  expect(APPROVAL_ROUTES.filter((name) => ROUTES[name].access === 'read')).toEqual(['app.status', 'owner.status', 'owner.unlock', 'presence.begin', 'presence.prove']);
});
