import { ExternalLink } from 'lucide-react';
import { buttonClass } from './button.tsx';

interface OpenApprovalsProps {
  readonly label: string;
  /** What it is called where several stand on a page. */
  readonly name?: string;
  readonly kind?: 'primary' | 'plain';
  /** The request that it leads to; the oldest one where there is none. */
  readonly paymentId?: string;
}

/** Opens the approval page, which alone may decide. Both hosts have it at this path; Electron shows its own window for it. */
export function OpenApprovals({ label, name, kind = 'plain', paymentId }: OpenApprovalsProps) {
  return (
    <a href={paymentId === undefined ? '/approve' : `/approve#request=${paymentId}`} target="_blank" rel="noopener" aria-label={name} className={buttonClass(kind)}>
      {label}
      <ExternalLink aria-hidden="true" className="size-4" />
    </a>
  );
}
