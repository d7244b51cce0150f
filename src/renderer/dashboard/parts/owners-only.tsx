import type { UseQueryResult } from '@tanstack/react-query';
import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAskOwner } from '../owner-gate.tsx';
import type { RequestError } from '../server-state.tsx';
import { Button } from './button.tsx';
import { Empty, Loaded } from './card.tsx';

interface OwnersOnlyProps<T> {
  readonly query: UseQueryResult<T, RequestError>;
  readonly title: string;
  readonly hint?: string;
  readonly unlock: string;
  readonly lines?: number;
  readonly children: (value: T) => ReactNode;
}

/** What only the owner may read: while the keys are locked, or nobody showed that they are the owner, nothing of it is on screen but the way to it. */
export function OwnersOnly<T>({ query, title, hint, unlock, lines = 3, children }: OwnersOnlyProps<T>) {
  const askOwner = useAskOwner();
  const code = query.error?.info.code;
  if (code !== 'OWNER_REQUIRED' && code !== 'WALLET_LOCKED') {
    return (
      <Loaded query={query} lines={lines}>
        {children}
      </Loaded>
    );
  }
  const press = async () => {
    if (await askOwner()) await query.refetch();
  };
  return (
    <Empty title={title} {...(hint !== undefined && { hint })}>
      <Button onClick={() => void press()}>
        <LockKeyhole aria-hidden="true" className="size-4" />
        {unlock}
      </Button>
    </Empty>
  );
}
