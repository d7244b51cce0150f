import { expect, test } from 'vitest';
import { CSV_HEADER, csvPayment, csvRecord } from '../../../../src/shared/export/payments-csv.ts';
import type { PaymentView } from '../../../../src/shared/contract/payments.ts';

/** A reader of RFC 4180, so that a test sees what a spreadsheet sees. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy)) {
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '  =1', '\u00a0=1', '\uff1d1', '\uff201', '=HYPERLINK("http://x","y")'])('the cell %j is run as a formula', (text) => {
  expect(readCsv(csvRecord([text]))).toEqual([[`'${text}`]]);
});

test.each(['a"b', 'a,b', 'a\r\nb', 'a\nb', '', '0.01', '1-2', "it's"])('the cell %j comes back as another text', (text) => {
  expect(readCsv(csvRecord(['x', text, 'y']))).toEqual([['x', text, 'y']]);
});

test('an amount loses a digit, a server\'s words break the table, or what a send was for is not in it', () => {
  const asset = { network: 'eip155:8453', networkName: 'Base', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC', decimals: 18 };
  const payment: PaymentView = {
    id: 'pay_1', createdAt: 0, updatedAt: 1, client: '@client', upstream: 'weather', tool: '=cmd|"/c calc"!A1', dialect: 'x402-mcp', scheme: 'exact', flow: 'authorize',
    money: { asset, units: '123456789012345678901234567890' }, payee: '0xpayee', payer: '0xpayer', status: 'delivered', columns: { decision: 'approved', money: 'settled', service: 'delivered' },
    reason: 'one,\ntwo', reasonCode: '', transaction: '0xfeed', rule: '', order: { recipient: 'contact 1 (Ada)', memo: '=lunch, "twice"' },
  };
  const [names, cells] = readCsv(CSV_HEADER + csvPayment(payment)) as [string[], string[]];
  expect(cells).toHaveLength(names.length);
  expect(Object.fromEntries(names.map((name, index) => [name, cells[index]]))).toMatchObject({
    id: 'pay_1', created_at: '1970-01-01T00:00:00.000Z', amount: '123456789012.34567890123456789', base_units: '123456789012345678901234567890', decimals: '18', symbol: 'USDC',
    client: "'@client", tool: `'=cmd|"/c calc"!A1`, reason: 'one,\ntwo', recipient: 'contact 1 (Ada)', memo: `'=lunch, "twice"`,
  });
});
