const INPUT = {
  type: 'object',
  properties: { paymentId: { type: 'string', description: 'The payment, as payment_pending named it: pay_…', pattern: '^pay_' } },
  required: ['paymentId'],
  additionalProperties: false,
} as const;

const text = (description: string) => ({ type: 'string', description });

/** The entries of `tools/list`. */
export const STATUS_TOOL = {
  name: 'payment_status',
  title: 'Payment status',
  description: 'Says how a payment stands that one of your tool calls asked for, and what can be done now. Reads only; it pays nothing.',
  inputSchema: INPUT,
  outputSchema: {
    type: 'object',
    properties: {
      paymentId: text('The payment.'),
      status: text('One word: waiting, approved, paying, delivered, confirming, not-charged, undelivered, unknown, denied, rejected, expired, cancelled or failed.'),
      resumable: { type: 'boolean', description: 'Whether payment_resume can go on from here.' },
      server: text('The server that asked for money.'),
      tool: text('Its tool.'),
      amount: text('In whole tokens, as a decimal number; empty where the price could not be read.'),
      token: text('The token of the amount, such as USDC; empty where the price could not be read.'),
      says: text('How it stands, in a sentence.'),
      reason: text('Why, in a sentence; may be empty.'),
      next: text('What can be done now.'),
      createdAt: text('When it was asked for, as an ISO 8601 time.'),
      updatedAt: text('When it last changed, as an ISO 8601 time.'),
    },
    required: ['paymentId', 'status', 'resumable', 'server', 'tool', 'amount', 'token', 'says', 'reason', 'next', 'createdAt', 'updatedAt'],
  },
  annotations: { title: 'Payment status', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

export const RESUME_TOOL = {
  name: 'payment_resume',
  title: 'Resume a payment',
  description:
    'Goes on with a tool call that was answered payment_pending: calls the same tool again with the same arguments, waits for the owner where they have not decided, and returns the answer of the tool. ' +
    'It is paid at most once, and only within what the owner allows. The answer of the tool is in the content; its structured content is in result.',
  inputSchema: INPUT,
  outputSchema: {
    type: 'object',
    properties: { paymentId: text('The payment.'), server: text('The server that answered.'), tool: text('Its tool.'), result: { description: 'The structured content of the answer, where it has any.' } },
    required: ['paymentId', 'server', 'tool'],
  },
  annotations: { title: 'Resume a payment', readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
