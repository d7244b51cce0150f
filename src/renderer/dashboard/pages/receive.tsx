import { QrCode } from 'lucide-react';
import { useState } from 'react';
import { encode } from 'uqr';
import type { AccountView } from '../../../shared/contract/accounts.ts';
import { overviewTexts as texts } from '../../texts/dashboard.ts';
import { Button } from '../parts/button.tsx';
import { Callout } from '../parts/callout.tsx';
import { Loaded } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Address, CopyButton, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** Shows where money is received: the address, its QR code, and the exact networks. */
export function Receive({ account, className = 'ml-auto' }: { readonly account: AccountView; readonly className?: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" className={className} onClick={() => setOpen(true)}>
        <QrCode aria-hidden="true" className="size-4" />
        {texts.receive}
      </Button>
      <Dialog open={open} title={texts.receiveTitle(account.label)} onClose={() => setOpen(false)}>
        <ReceiveParts account={account} />
      </Dialog>
    </>
  );
}

function ReceiveParts({ account }: { readonly account: AccountView }) {
  const received = useRead('accounts.receive', {});
  return (
    <Loaded query={received} lines={6}>
      {(value) => {
        const found = value.accounts.find(({ accountId }) => accountId === account.id);
        if (!found) return null;
        return (
          <div className="grid gap-4">
            <Code text={found.address} />
            <p className="flex items-center gap-1">
              <Address address={found.address} />
              <CopyButton text={found.address} what={texts.copyAddress} />
            </p>
            <Callout tone="warn">{found.warning}</Callout>
            <div>
              <h3 className="font-medium">{texts.receiveOn}</h3>
              <ul className="mt-1 grid gap-1 text-sm">
                {found.networks.map(({ network, name, tokens }) => (
                  <li key={network}>
                    <Untrusted text={name} className="font-medium" />: <Untrusted text={tokens.join(', ')} className="text-muted" />
                  </li>
                ))}
              </ul>
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

/** Dark on light in every theme: many readers take nothing else. */
function Code({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 3 });
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg role="img" aria-label={texts.receiveCode(text)} viewBox={`0 0 ${size} ${size}`} className="mx-auto size-56 rounded-xl" shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  );
}
