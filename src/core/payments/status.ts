import type { PaymentStatus } from '../../shared/contract/payments.ts';
import type { Payment } from './payment.ts';

/** What people see of a payment: a pure function of its three columns. */
export function paymentStatus({ decision, money, service }: Pick<Payment, 'decision' | 'money' | 'service'>): PaymentStatus {
  if (decision !== 'approved') return decision;
  const moved = money === 'settled';
  const mayMove = money === 'outstanding' || money === 'reserved';
  switch (service) {
    case 'delivered':
      return moved ? 'delivered' : mayMove ? 'confirming' : 'not-charged';
    case 'open':
      if (money === 'reserved') return 'approved';
      return money === 'none' || money === 'dead' ? 'failed' : 'paying';
    case 'lost':
    case 'refused':
      return moved ? 'undelivered' : mayMove ? 'unknown' : 'failed';
  }
}
