/** Words of the claim page. */
export const claimTexts = {
  title: 'Claim your money',
  sent: 'You were sent',
  network: 'Network',
  memo: 'The sender writes',
  expires: 'To be claimed until',
  address: 'Your wallet address on',
  addressHint: 'The money goes to this address and cannot be taken back. You need no other money for it.',
  claim: 'Claim',
  looking: 'Looking where the money is…',
  claiming: 'Claiming. This takes some seconds; leave the page open.',
  done: (amount: string) => `${amount} is yours now.`,
  transaction: 'Transaction',
  goesTo: 'Sent to',
  expired: (when: string) => `This link worked until ${when}. The money goes back to the sender. Ask them to send it again.`,
  warning: 'Whoever has this link can claim the money. Give it to nobody else.',
  unset: 'This page was not set up: it was copied and not exported. Ask the sender.',
} as const;
