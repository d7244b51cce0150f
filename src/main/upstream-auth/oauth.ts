// All that needs the SDK, in one place: it is loaded when the first server refuses a call, because it would double the time of a start.
export { computeScopeUnion, isStrictScopeSuperset } from '@modelcontextprotocol/client';
export { readChallenge } from './discover.ts';
export { probeChallenge } from './probe-challenge.ts';
export { isOver, signInProblem } from './problems.ts';
export { fetchMachineGrant, refresh } from './renew.ts';
export { revoke } from './revoke.ts';
export { beginSignIn } from './sign-in.ts';
