import { ExternalLink } from 'lucide-react';
import { buttonClass } from './button.tsx';

interface OpenApprovalsProps {
  readonly label: string;
  /** What it is called where several stand on a page. */
  readonly name?: string;
  readonly kind?: 'primary' | 'plain';
}

/** Opens the approval page, which alone may decide. Both hosts have it at this path; Electron shows its own window for it. */
export function OpenApprovals({ label, name, kind = 'plain' }: OpenApprovalsProps) {
  return (
    <a href="/approve" target="_blank" rel="noopener" aria-label={name} className={buttonClass(kind)}>
      {label}
      <ExternalLink aria-hidden="true" className="size-4" />
    </a>
  );
}
