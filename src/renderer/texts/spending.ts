export const spendingTexts = {
  title: 'Last 30 days',
  total: (amount: string) => `${amount} spent and held`,
  perDay: 'Per day',
  perServer: 'Per server',
  chart: (amount: string, days: number) => `Bar chart of the spending of ${days} days, ${amount} together. The same figures stand in the table below.`,
  table: 'Show as a table',
  caption: 'Spending by day, newest first; days without any are left out',
  day: 'Day',
  amount: 'Amount',
  others: (count: number) => (count === 1 ? 'One other server' : `${count} other servers`),
  none: 'Nothing was spent in the last 30 days.',
} as const;

export const firstStepsTexts = {
  title: 'Your first paid call',
  intro: { play: 'This is play money: try everything. Three steps, and an agent pays for a tool.', real: 'Three steps, and an agent can pay for a tool, within your budgets.' },
  done: 'done',
  steps: {
    connect: { title: 'Connect a client', note: 'Register Bursar in Claude Desktop or another MCP client. You see what changes before it is written.', go: 'Connect a client' },
    server: { title: 'Have a server that sells something', note: 'Servers that you add, or services that you approve, become tools of your agent.', go: 'Find services' },
    call: { title: 'Ask your agent to use a paid tool', note: 'The payment waits for you under Approvals. Nothing is paid before you approve it.', go: 'See what waits' },
  },
} as const;
