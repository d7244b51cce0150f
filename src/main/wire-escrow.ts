import { createEscrows, type Escrows, type EscrowsPorts } from './escrow/escrows.ts';
import type { WalletTool } from './wallet-tools/define-tool.ts';
import { createEscrowTools } from './wallet-tools/escrow-tools.ts';

/** Payments to people without a wallet, with the tools by which agents make them. */
export function wireEscrow(ports: EscrowsPorts): Escrows & { readonly tools: readonly WalletTool[] } {
  const escrows = createEscrows(ports);
  return { ...escrows, tools: createEscrowTools({ send: escrows.sendTo, assets: ports.shownAssets }) };
}
