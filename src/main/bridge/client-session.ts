import type { Session } from './session.ts';

/** A client's session as its way in (socket, HTTP) knows it: with one server, or with all of them. */
export type ClientSession = Pick<Session, 'id' | 'client' | 'scopes' | 'upstream' | 'accept' | 'abandon' | 'cancel' | 'setSlow' | 'whenAnswered' | 'openRequests' | 'unfinished' | 'close' | 'expel'>;
