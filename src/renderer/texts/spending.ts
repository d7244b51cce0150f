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
