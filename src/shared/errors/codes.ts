/**
 * Every error code with its standing hint. Codes are stable: one is never renamed or given another meaning.
 * The hint follows the error's own sentence, does not repeat it, and says what to do next.
 */
export const ERROR_CODES = {
  // input
  AMOUNT_INVALID: 'Give a plain decimal number such as 1.50, without sign, exponent or separators.',
  INPUT_INVALID: 'Correct the named field and try again.',
  JSON_INVALID: 'The text is not JSON. Check it for a missing quote, comma or bracket.',

  // challenge and offer
  CHALLENGE_MALFORMED: 'The server asked for a payment that cannot be read. Tell its operator; nothing was paid.',
  CHALLENGE_EXPIRED: 'Nothing was paid; the call may be repeated, and the server will ask anew.',
  PROTOCOL_UNSUPPORTED: 'Bursar does not pay in this way. Nothing was paid.',
  TERMS_LOST: 'It cannot be paid like this. Tell its operator that the terms have to arrive with the request; nothing was paid.',
  NO_PAYABLE_OFFER: 'The server accepts no payment that this wallet can make. Nothing was paid.',
  NETWORK_UNSUPPORTED: 'The owner can enable a network that Bursar knows.',
  ASSET_UNKNOWN: 'The server wants a token that is not in the token registry. Nothing was paid.',
  ASSET_MISMATCH: 'The terms describe a token otherwise than the registry does; it may be a lookalike. Nothing was paid.',
  ADDRESS_INVALID: 'Nothing was sent. Check the address with whoever gave it to you.',
  CONTACT_UNPAYABLE: 'Nothing was sent. The owner can add an address to the contact.',
  PAYEE_INVALID: 'The address to pay is not valid on that network. Nothing was paid.',
  FLOW_UNSUPPORTED: 'The server wants to be paid in a way that this wallet does not pay. Nothing was paid.',
  LIFETIME_TOO_LONG: 'The server wants an authorization that stays valid too long. Nothing was paid.',

  // escrow
  RECIPIENT_INVALID: 'Nothing was sent.',
  CLAIM_PAGE_MISSING: 'Nothing was sent. The owner puts the claim page on a static host (bursar claim-page DIR) and names its address: bursar escrow page URL',
  CLAIM_LINK_INVALID: 'Copy the whole link again from the message that it came in. Nothing was moved.',
  CLAIM_EXPIRED: 'The money goes back to the sender. Ask them to send it again.',
  CLAIM_GONE: 'Nothing was moved.',
  MAIL_FAILED: 'The money is safe: the owner can send the mail again, hand the link over, or take the money back.',

  // policy and approval
  BUDGET_EXCEEDED: 'The payment is above a limit that the owner set. Ask the owner to raise it in Bursar.',
  POLICY_DENIED: 'A rule of the owner forbids this payment. Ask the owner before trying again.',
  PRICE_UNKNOWN: 'A limit counts in US dollars, and this token has no known price. Ask the owner to limit the token in its own units instead.',
  PAYMENTS_PAUSED: 'The owner has paused all payments. Ask them to resume in Bursar.',
  APPROVAL_REJECTED: 'Do not repeat the call without asking them.',
  APPROVAL_EXPIRED: 'Nothing was paid; the call may be repeated.',
  APPROVAL_CANCELLED: 'Nothing was paid.',
  APPROVAL_QUEUE_FULL: 'Wait until some of them are decided.',
  APPROVAL_STALE: 'Look at it again.',
  DELEGATION_MISSING: 'Nothing was signed. The owner can approve an amount on the chain.',
  DELEGATION_BUSY: 'Nothing was signed. Wait a minute or two, then try again.',
  APPROVAL_TOO_EARLY: 'The request has to be visible for one second before it can be answered.',

  // presence of the owner
  PRESENCE_REQUIRED: 'Nothing was done yet. Prove that you are there, with your passkey, Touch ID or passphrase.',
  PRESENCE_FAILED: 'Nothing was done. Try again.',
  PRESENCE_STALE: 'Nothing was done. Begin again.',

  // keys
  WALLET_LOCKED: 'Ask the owner to unlock Bursar, then repeat the call.',
  ACCOUNT_MISSING: 'Create or import one in Bursar.',
  KEYCHAIN_UNAVAILABLE: 'Unlock the keychain and start Bursar again.',
  VAULT_CORRUPT: 'Restore it from a backup.',
  PASSPHRASE_WRONG: 'Try again.',
  PASSPHRASE_BUSY: 'Wait until the passphrases that were given before are checked, then try again.',
  SETUP_CODE_WRONG: 'It stands in the terminal in which Bursar was started. If a client started it, stop Bursar and start it in a terminal: npm start.',
  KEY_INVALID: 'The key cannot be read. Check its form.',
  KEY_FILE_UNSUPPORTED: 'Export the key from the program that made the file, and import that.',
  MNEMONIC_INVALID: 'Compare that word with what you wrote down. Nothing was changed.',
  MNEMONIC_CHECKSUM: 'Compare each word and their order with what you wrote down. Nothing was changed.',
  ACCOUNT_IN_USE: 'Wait until it is settled or given up, then try again. Nothing was changed.',

  // signing and settlement
  INSUFFICIENT_BALANCE: 'Add money, or ask for less.',
  PROOF_MISMATCH: 'What was about to be signed differs from what was approved. Nothing was sent.',
  SIGNING_FAILED: 'Nothing was sent.',
  CHAIN_UNREACHABLE: 'Try again, or set another RPC address.',
  PAYMENT_REJECTED: 'If the money can still move, its budget stays held until it cannot.',
  SETTLEMENT_FAILED: 'Bursar watches the chain and frees the budget once the money cannot move.',
  FACILITATOR_ERROR: 'Try again later, or set another facilitator for this network.',
  PAYMENT_OUTCOME_UNKNOWN: 'It is not known yet whether the money moved. Bursar watches the chain; repeat the same call to get its answer.',
  PAID_NOT_DELIVERED: 'The money moved and the server gave no answer. Ask the owner before paying again.',
  ANSWER_EXPIRED: 'Its client did not come back for the answer in time. Ask the owner before paying again.',
  NEVER_COLLECTED: 'The server answered without collecting the money, and can no longer do so.',
  SECOND_CHALLENGE: 'Nothing more was paid, and is not paid by itself. Ask the owner before calling again.',
  TOOL_FAILED: 'If the money can still move, its budget stays held until it cannot.',
  PAYMENT_PENDING: 'The owner has not decided yet. Repeat the same call to continue.',

  // bridge
  UPSTREAM_UNKNOWN: 'List them with: npm run -s bursar -- upstream list.',
  UPSTREAM_UNREACHABLE: 'Check its address or command.',
  UPSTREAM_REFUSED: 'The server answered with an HTTP error.',
  ADDRESS_FORBIDDEN: 'Nothing was sent. The owner can open the host in the policy (paying.openHosts).',
  UPSTREAM_AUTHORIZATION_NEEDED: 'Repeat the call once the owner has signed in, on the dashboard or with: bursar upstream authorize NAME',
  UPSTREAM_SIGN_IN_FAILED: 'Nothing was changed. Sign in again, or tell the operator of the server.',
  UPSTREAM_EXITED: 'The server ended. The next call starts it again.',
  MESSAGE_TOO_LARGE: 'The message is larger than the configured limit.',
  MESSAGE_MALFORMED: 'The message is not JSON-RPC.',
  UNAUTHORIZED: 'Use the token that the dashboard shows on its Connect page.',
  FORBIDDEN: 'This is not allowed from here.',
  SCOPE_MISSING: 'Nothing was paid. Ask the owner to allow it for this client, on the Clients page or with: bursar client scopes.',

  // application
  CONFIG_CORRUPT: 'Correct it or restore its backup; nothing was changed.',
  DATABASE_CORRUPT: 'Restore it from a backup; nothing was changed.',
  DATABASE_TOO_NEW: 'Update Bursar; nothing was changed.',
  LEDGER_TAMPERED: 'Nothing is paid until the owner has looked at it in Bursar, or with: bursar ledger verify',
  LEDGER_RESTORED: 'Nothing is paid until the owner has looked at it in Bursar, or with: bursar ledger accept',
  SETTINGS_CHANGED: 'Nothing is paid until the owner puts it back or accepts it, in Bursar or with: bursar ledger put-back, bursar ledger accept',
  BACKUP_CORRUPT: 'Use another copy of it; nothing was restored.',
  BACKUP_TOO_NEW: 'Update Bursar; nothing was restored.',
  HOME_NOT_EMPTY: 'Give an empty folder with --home; nothing was restored.',
  HOME_IN_USE: 'Stop it, or give another folder with --home.',
  HOME_NETWORK_MISMATCH: 'A data folder belongs to one kind of network. Give another folder with --home.',
  PORT_IN_USE: 'Give another port with --port, or stop the program that has it.',
  NETWORK_BUSY: 'Wait until its payments are final, or cancel them in the history.',
  LOGIN_ITEM_FAILED: 'Nothing was changed. Add Bursar to the programs that start with your session by hand.',
  START_FAILED: 'Start it with its command.',
  LINK_LOST: 'The page connects again by itself.',
  OWNER_REQUIRED: 'Only the owner may do this. Enter the passphrase first.',
  CLIENT_CONFIG_MALFORMED: 'The file was not touched. Correct it first.',
  DISK_FULL: 'Free some space on the disk, then do the same again: a payment that was begun continues. What is in the ledger is whole.',
  NOT_FOUND: 'Check the name or id.',
  INTERNAL: 'This is a defect of Bursar. Nothing was lost; the log has the details.',
} as const satisfies Record<string, string>;

export type ErrorCode = keyof typeof ERROR_CODES;
