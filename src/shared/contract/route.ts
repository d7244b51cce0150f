import type { z } from 'zod';

/**
 * Who may call a route.
 * - `read`: any page of the owner; shows, changes nothing.
 * - `owner`: moves a limit, a payee, an upstream, a client's config or a key; on real networks the headless page and the command line need an owner session.
 * - `decide`: the approval surface alone (its own window and preload, its own page and socket path); on real networks in the headless page also an owner session.
 */
export type Access = 'read' | 'owner' | 'decide';

export interface Route<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly access: Access;
  readonly input: I;
  readonly output: O;
}

/** Declares one route of the contract. */
export const route = <I extends z.ZodType, O extends z.ZodType>(access: Access, input: I, output: O): Route<I, O> => ({ access, input, output });
