import { z } from 'zod';

/** What an MCP client may do, by the names that its tokens carry (RFC 6749, section 3.3). */
export const SCOPES = [
  'payment_context:read',
  'contact_payments:write',
  'address_payments:write',
  'email_payments:write',
  'sms_payments:write',
  'x402:execute',
] as const;

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** The least with which a client may connect. Every client has it. */
export const LEAST_SCOPE = 'payment_context:read' satisfies Scope;

/** Lets a client have calls paid that ask for money. */
export const EXECUTE_SCOPE = 'x402:execute' satisfies Scope;

/**
 * What a client has of which the owner said nothing else: to call paid tools under the policy. Sending money to people is never among
 * it: the owner grants that.
 */
export const USUAL_SCOPES: readonly Scope[] = [LEAST_SCOPE, EXECUTE_SCOPE];

export const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** These scopes once each, in the order of {@link SCOPES}. */
export const sortScopes = (scopes: readonly Scope[]): readonly Scope[] => SCOPES.filter((scope) => scopes.includes(scope));

/** The same with the least that a client has. */
export const withLeast = (scopes: readonly Scope[]): readonly Scope[] => sortScopes([LEAST_SCOPE, ...scopes]);

/** As one text, as it stands in tokens and in the database. */
export const scopeText = (scopes: readonly Scope[]): string => sortScopes(scopes).join(' ');

/** The scopes of such a text; what is none is left out. */
export const readScopes = (text: string): readonly Scope[] => sortScopes(text.split(' ').filter(isScope));
