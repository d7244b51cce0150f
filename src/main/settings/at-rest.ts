import type { Journal } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/**
 * Money that may still move is followed over the network's RPC addresses: without them nobody would learn what became of it. `others` counts what is
 * under way there beside payments. Throws `NETWORK_BUSY`.
 */
export function requireAtRest(network: string, journal: Pick<Journal, 'unresolved'>, others: number): void {
  const open = others + journal.unresolved().filter(({ terms, money }) => terms?.network === network && money !== 'none' && money !== 'dead').length;
  if (open === 0) return;
  throw new BursarError('NETWORK_BUSY', `${open === 1 ? 'One payment is' : `${open} payments are`} not final on this network, so it cannot be disabled now.`, { context: { network, open: String(open) } });
}
