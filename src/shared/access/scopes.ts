import { z } from 'zod';

/** What a client of the local server may do; the owner grants each one. */
export const SCOPES = ['payment_context:read', 'contact_payments:write', 'address_payments:write', 'email_payments:write', 'sms_payments:write', 'x402:execute'] as const;

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;
