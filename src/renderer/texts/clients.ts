import type { Scope } from '../../shared/access/scopes.ts';
import type { CredentialKind } from '../../shared/contract/client-access.ts';

/** What a client may do, in the owner's words. */
export const scopeTexts: Readonly<Record<Scope, { readonly label: string; readonly short: string; readonly note: string }>> = {
  'payment_context:read': { label: 'Connect and look', short: 'Look', note: 'Sees its budget, your contacts and its own payments. Every client may.' },
  'x402:execute': { label: 'Have calls paid', short: 'Paid calls', note: 'When a server asks for money, within your limits and rules.' },
  'contact_payments:write': { label: 'Send money to your contacts', short: 'Contacts', note: 'To people whom you added, within your limits and rules.' },
  'address_payments:write': { label: 'Send money to any address', short: 'Any address', note: 'To whatever address it names, within your limits and rules.' },
  'email_payments:write': { label: 'Send money by e-mail', short: 'E-mail', note: 'To whoever opens the link, within your limits and rules.' },
  'sms_payments:write': { label: 'Send money by SMS', short: 'SMS', note: 'To whoever opens the link, within your limits and rules.' },
};

export const credentialTexts: Readonly<Record<CredentialKind, { readonly label: string; readonly note: string }>> = {
  key: { label: 'API key', note: 'One text that the client sends each time. What most clients take.' },
  oauth: { label: 'OAuth', note: 'An id and a secret, for clients that get short-lived tokens by themselves (client credentials).' },
};

export const clientTexts = {
  title: 'Clients',
  intro: 'Programs that may connect, and what each may do. No client can change this.',
  list: 'Your clients',
  add: 'Add a client…',
  none: 'No client yet',
  noneHint: 'Add one, or register Bursar in a client on the Connect page.',
  isDefault: 'Bursar’s own, shown on the Connect page',
  lastSeen: 'Last seen',
  never: 'Never',
  clientId: 'Client id',
  may: 'May do',
  acts: 'Change',
  edit: (name: string) => `Change what ${name} may do`,
  editShort: 'Change…',
  /** Begins with what `rotateShort` shows, so that who speaks to the page can say it. */
  rotate: { key: (name: string) => `New key for ${name}`, oauth: (name: string) => `New secret for ${name}` },
  rotateShort: { key: 'New key…', oauth: 'New secret…' },
  revoke: (name: string) => `Revoke ${name}`,
  revokeShort: 'Revoke…',
  endpoint: 'For OAuth clients',
  endpointNote: 'Clients that know the standard find this by themselves. Tokens are good for 15 minutes and end at once when you revoke their client.',
  tokenUrl: 'Token endpoint',
  addTitle: 'Add a client',
  name: 'Name',
  nameNote: 'Limits and rules can name it.',
  nameProblem: 'Use 1 to 40 letters, digits, spaces, dots, _ and -, beginning with a letter or digit.',
  proves: 'How it proves itself',
  adding: 'Adding…',
  addNow: 'Add',
  scopesTitle: (name: string) => `What ${name} may do`,
  save: 'Save',
  saving: 'Saving…',
  saved: (name: string) => `Saved what ${name} may do.`,
  rotateTitle: (name: string) => `New credential for ${name}`,
  rotateNote: 'The old one ends at once, with everything that runs under it. What waits for your decision is cancelled.',
  rotateNow: 'Make a new one',
  rotating: 'Making…',
  revokeTitle: (name: string) => `Revoke ${name}`,
  revokeNote: 'It is cut off at once: its sessions end, and what waits for your decision is cancelled. What is signed already comes to its end. Its name is refused until you add it again.',
  revokeNow: 'Revoke',
  revoking: 'Revoking…',
  revoked: (name: string) => `Revoked ${name}.`,
  once: 'This is shown once. Copy it into the client now: Bursar keeps only its hash.',
  key: 'API key',
  keyNote: 'Over HTTP it is sent as “Authorization: Bearer …”. A client that starts a command takes it as the variable BURSAR_CLIENT_TOKEN.',
  secret: 'Client secret',
  done: 'Done',
} as const;
