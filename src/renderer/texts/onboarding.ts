import type { Environment } from '../../shared/contract/app.ts';

export const onboardingTexts = {
  title: 'First steps',
  intro: {
    sandbox: 'This is play money: try everything. Three steps, and an agent pays for a tool.',
    testnet: 'Test networks: nothing here is worth anything. Three steps, and an agent pays for a tool.',
    mainnet: 'Real money: payments cannot be taken back. Three steps, and an agent can pay within your limits.',
  } satisfies Record<Environment, string>,
  progress: (done: number) => (done === 3 ? 'All three are done' : `${done} of 3 done`),
  done: 'done',
  step: (number: number) => `Step ${number}`,
  skip: 'Skip',
  skipLong: 'Skip the first steps',
  skipped: 'Skipped. They stay reachable in the settings.',
  close: 'Close',
  closeLong: 'Close the first steps',
  next: 'Go on',
  later: 'Later',
  finished: 'You are ready. Ask your agent to use a paid tool: what your rules do not allow waits for you.',
  realMoney: 'When you want to use real money',
} as const;

export const moneyStepTexts = {
  title: { sandbox: 'You have play money', testnet: 'Get test money', mainnet: 'See your limits, then add a little money' } satisfies Record<Environment, string>,
  sandbox: 'Bursar made these accounts on local chains and filled them. Nothing on them is worth anything.',
  testnet: 'Copy the address of your account, open a faucet, and paste it there. The faucets are public pages of others; Bursar opens none by itself.',
  faucetsOf: (network: string) => `For ${network}`,
  openFaucet: (name: string, gives: string) => `${name}: ${gives}`,
  noFaucets: 'No faucet is known for the networks that are enabled.',
  mainnet: 'These limits hold from the first payment on. Change them whenever you like.',
  warning: 'Begin small: put on the account only what you can lose. A program that runs as you could get at it.',
  perCall: 'Most per call',
  perDay: 'Most per day',
  noLimit: 'no limit',
  otherwise: { ask: 'Every payment within them asks you first.', allow: 'Payments within them go through without asking.', deny: 'Payments that no rule allows are denied.' },
  limits: 'Change the limits',
  accounts: 'Your accounts',
  none: 'There is no account yet.',
  noneHint: 'It appears once your passphrase is set.',
  empty: 'Nothing has arrived yet. It appears here by itself.',
} as const;

export const callStepTexts = {
  title: 'Make a paid call',
  demo: 'Buy the hours of sunrise and sunset from the sandbox’s own paid service, for a few cents of play money. It takes the road of every payment: the seller asks, your rules decide or ask you, the money moves on the local chain, and the answer comes.',
  noDemo: 'Find a paid service, approve it for your agents, and it becomes a tool. What it costs stands beside it.',
  find: 'Find a paid service',
  buy: 'Buy it',
  again: 'Buy it again',
  asking: 'The seller is asked…',
  waiting: 'The payment waits for you. Read what is asked, then approve it.',
  open: 'Open the approval',
  rejected: 'You rejected it. Nothing was paid.',
  paid: 'Paid',
  answer: 'The answer',
  answerOf: (status: number) => `The answer (HTTP ${status})`,
  transaction: 'Transaction',
  transactionWhat: 'the transaction',
  notYet: 'not there yet',
  payee: 'Paid to',
  history: 'See it among all payments',
} as const;

export const clientStepTexts = {
  title: 'Let your agent use it',
  note: 'Register Bursar in a client of this computer. You see what changes in its file before it is written, and a backup is kept.',
  register: 'Register…',
  registerIn: (client: string) => `Register in ${client}`,
  registered: 'Registered. Restart it once.',
  malformed: 'Its file is not valid, so it is left alone.',
  none: 'No client that Bursar knows was found on this computer.',
  other: 'Other clients and more ways',
} as const;
