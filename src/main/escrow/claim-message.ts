import type { Asset } from '../../core/registry/assets.ts';
import { requireNetwork } from '../../core/registry/networks.ts';
import type { ClaimMessage } from '../../shared/contract/escrows.ts';
import { writeClaimFragment } from '../../shared/escrow/claim-link.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { Escrow, EscrowDetails } from '../adapters/store/escrows.ts';
import type { EscrowSeed } from './escrow-keys.ts';

export interface MessageParts {
  readonly escrow: Escrow;
  readonly details: EscrowDetails;
  readonly asset: Asset;
  /** Where unclaimed money goes back to. */
  readonly sender: string;
  readonly pageUrl: string;
}

/** The link and the words around it. It is made anew from the seed each time and lies nowhere; whoever has it can take the money. Throws `WALLET_LOCKED`. */
export async function claimMessage(seed: EscrowSeed, { escrow, details, asset, sender, pageUrl }: MessageParts): Promise<ClaimMessage & { readonly html: string }> {
  const { id, network, keyIndex, units, expiresAt } = escrow;
  const namespace = network.startsWith('eip155:') ? 'eip155' : 'solana';
  const secret = await seed.useEscrow(namespace, keyIndex, (key) => Buffer.from(key).toString('hex'));
  const { address, symbol, decimals, eip712, tokenProgram } = asset;
  const networkName = requireNetwork(network).name;
  // On one line, or an agent's memo could pass for words of the mail itself.
  const memo = cleanText(details.memo, 500).replace(/\s+/g, ' ');
  const token = { address, symbol, decimals, ...(eip712 && { eip712 }), ...(tokenProgram !== undefined && { tokenProgram }) };
  const link = `${pageUrl}#${writeClaimFragment({ network, networkName, token, units: units.toString(), expiresAt, memo, sender, secret })}`;
  const amount = `${formatUnits(units, decimals, 2)} ${symbol}`;
  const until = new Date(expiresAt).toISOString().slice(0, 10);
  const subject = `You were sent ${amount}`;
  const lines = [
    `You were sent ${amount} on ${networkName}.`,
    ...(memo === '' ? [] : [`The sender writes: ${memo}`]),
    `To claim it, open this link and enter the address of your wallet. You need no other money for it.`,
    link,
    `The link works until ${until}. After that the money goes back to the sender. Give the link to nobody else: whoever opens it can take the money.`,
  ];
  const text = lines.join('\n\n');
  const html = `<!doctype html><html lang="en"><body>${lines.map((line) => (line === link ? `<p><a href="${escape(link)}">Claim ${escape(amount)}</a></p><p>${escape(link)}</p>` : `<p>${escape(line)}</p>`)).join('')}</body></html>`;
  const { to, kind } = details.recipient;
  const short = `You were sent ${amount}. Claim it until ${until}: ${link}`;
  return {
    id,
    link,
    subject,
    text,
    html,
    mailto: kind === 'email' ? `mailto:${encodeURIComponent(to).replace('%40', '@')}?subject=${encodeURIComponent(subject.toWellFormed())}&body=${encodeURIComponent(text.toWellFormed())}` : '',
    sms: kind === 'sms' ? `sms:${to}?body=${encodeURIComponent(short.toWellFormed())}` : '',
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
