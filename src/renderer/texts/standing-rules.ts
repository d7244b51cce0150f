import type { RuleProposal } from '../../shared/contract/standing-rules.ts';

/** Every word of the approval page about the next times. */
export const standingTexts = {
  title: 'The next times',
  allow: 'Allow this tool every day…',
  block: 'Block this server…',
  close: 'Cancel',
  back: 'Back',
  continue: 'Continue',
  checking: 'Checking…',
  saving: 'Saving…',
  soon: 'You can save it in a moment.',
  unattended: 'To save it, bring this window to the front.',
  locked: 'Bursar is locked. Unlock it first.',

  amountTitle: 'Allow this tool every day?',
  /** Between the tool and its server, and after them. */
  amountLead: [' of ', ' is then paid without asking, up to an amount each day. Nothing is saved yet.'],
  amount: (symbol: string) => `Up to, each day, in ${symbol}`,

  allowTitle: 'Save this rule?',
  allowLead: 'Paid without asking from now on, while all of this is so:',
  server: 'Server',
  tool: 'Tool',
  client: 'Asked by',
  payee: 'Pay to',
  token: 'Token',
  price: 'Each call',
  priceWords: (amount: string) => `at most ${amount}, what this one costs`,
  limit: 'At most',
  limitWords: (amount: string) => `${amount} a day for this tool in all, whoever is paid`,
  approximately: (usd: string) => `≈ ${usd}`,
  used: 'Of it today',
  usedWords: (amount: string) => `${amount}, this payment with it`,
  replaces: 'In place of',
  replacesWords: (amount: string) => `a limit of ${amount} a day`,
  conditions: 'Besides',
  conditionsWords: 'It holds only where the rule that asks now would have asked:',
  notes: [
    'Above the limit, this tool is refused until the next day.',
    'It still asks when payee, price, token or network change, and when another server’s words brought the payment up.',
    'Your other limits and rules stay as they are.',
  ],
  place: ({ place, rules }: Pick<RuleProposal, 'place' | 'rules'>) => `It stands as rule ${place} of ${rules} and as one limit. You change or remove both under Budgets.`,
  approvesToo: (amount: string) => `This payment of ${amount} is approved with it.`,
  save: (amount: string) => `Save and approve ${amount}`,
  saveShort: 'Save and approve',

  blockTitle: 'Block this server?',
  /** Before and after the server. */
  blockLead: ['Nothing is paid to ', ' any more, whichever client asks.'],
  blockNotes: (ends: number) => [
    ends > 1 ? `This request and ${ends === 2 ? 'one other' : `${ends - 1} others`} of this server end now. Nothing was paid for them.` : 'This request ends now. Nothing was paid for it.',
    'Tools of this server that are free go on working.',
    'It stands before all other rules. You take it back under Budgets, beside the server.',
  ],
  blockSave: 'Block this server',

  exact: 'As it is saved',
  allowed: 'The rule is saved.',
  stillWaits: 'The rule is saved. This payment still waits for your answer.',
  provesToo: 'The rule is saved. This payment is above the amount at which you prove that you are there, so it asks for that once more.',
  blocked: (upstream: string) => `${upstream} is blocked. Nothing was paid. You take it back under Budgets.`,
  unreadable: 'The rule cannot be read, so it cannot be saved here.',
} as const;
