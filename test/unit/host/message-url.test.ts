import { expect, test } from 'vitest';
import { isMessage } from '../../../src/main/host/message-url.ts';

const text = encodeURIComponent('You were sent 1.50 USDC.\n\nhttps://claims.example/#1.abc_-.0f0f0f0f & more');

test('a prepared message is not handed to the mail program', () => {
  expect(isMessage(`mailto:${encodeURIComponent("o'hara+x@example.org").replace('%40', '@')}?subject=${encodeURIComponent('You were sent 1.50 USDC')}&body=${text}`)).toBe(true);
  expect(isMessage(`sms:+4915123456789?body=${text}`)).toBe(true);
});

test('another scheme, another recipient or a further header reaches the machine’s programs', () => {
  for (const url of [
    'file:///etc/passwd',
    `https://example.org/?body=${text}`,
    `mailto:ada@example.org?subject=x&body=${text}&attach=/etc/passwd`,
    `mailto:ada@example.org?subject=x&bcc=eve@example.org&body=${text}`,
    `mailto:ada@example.org,eve@example.org,?bcc=eve@example.org`,
    `mailto:ada@example.org?cc=eve@example.org&subject=x&body=y`,
    `mailto:ada@example.org?subject=x&body=y#z`,
    'sms:+4915123456789;ext=1?body=x',
    'sms:%2B1?body=x',
    `MAILTO:ada@example.org?subject=x&body=y&x-mailer=z`,
  ]) {
    expect([url, isMessage(url)]).toEqual([url, false]);
  }
});
