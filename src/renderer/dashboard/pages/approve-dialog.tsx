import { useState } from 'react';
import type { ListingView } from '../../../shared/contract/discovery.ts';
import { layoutTexts } from '../../texts/dashboard.ts';
import { discoverTexts as texts } from '../../texts/discover.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Fact } from '../parts/fact.tsx';
import { TextField } from '../parts/field.tsx';
import { Address, Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { ListedAmount } from './listed-prices.tsx';

const GROUP = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const GROUPS_ID = 'client-groups';

interface ApproveDialogProps {
  /** What is to be approved; absent while the dialog is closed. */
  readonly listing: ListingView | undefined;
  readonly onClose: () => void;
}

/** Shows an endpoint in full, and approves exactly that. */
export function ApproveDialog({ listing, onClose }: ApproveDialogProps) {
  return (
    <Dialog form="wide" open={listing !== undefined} title={texts.dialogTitle} onClose={onClose}>
      {listing && <Approval listing={listing} onClose={onClose} />}
    </Dialog>
  );
}

function Approval({ listing, onClose }: { readonly listing: ListingView; readonly onClose: () => void }) {
  const approve = useAct('discovery.approve');
  const announce = useAnnounce();
  const groups = useRead('discovery.approved', {}).data?.groups ?? [];
  const [group, setGroup] = useState('default');
  const { source, url, method, digest, description, prices, schemaProblem } = listing;
  const members = groups.find(({ name }) => name === group)?.clients ?? [];

  function press() {
    approve.mutate(
      { source, url, method, digest, group },
      {
        onSuccess({ tool }) {
          announce(texts.done(tool));
          onClose();
        },
      },
    );
  }

  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        press();
      }}
    >
      <p className="text-muted">{texts.dialogNote}</p>
      <dl className="grid gap-3">
        <Fact label={texts.address}>
          <Untrusted text={url} className="font-mono" />
        </Fact>
        <Fact label={texts.method}>
          <span className="font-mono">{method}</span>
        </Fact>
        {description !== '' && (
          <Fact label={texts.says}>
            <Untrusted text={description} className="whitespace-pre-line" />
          </Fact>
        )}
        <Fact label={texts.listedBy}>
          <Untrusted text={source} className="font-mono text-sm" />
        </Fact>
      </dl>
      <ul className="grid gap-2">
        {prices.map((price, index) => (
          <li key={index} className="rounded-xl bg-inset px-4 py-3">
            <p>
              <ListedAmount price={price} /> <Untrusted text={texts.on(price.networkName)} />
              {!price.payable && <span className="text-muted"> ({texts.notPayable})</span>}
            </p>
            <p className="text-sm text-muted">{texts.payee}</p>
            <Address address={price.payee} />
            {!price.money && (
              <>
                <p className="text-sm text-muted">{texts.token}</p>
                <Untrusted text={price.asset} className="font-mono text-sm" />
              </>
            )}
          </li>
        ))}
      </ul>
      {schemaProblem !== '' && <Callout tone="warn">{texts.openSchema(schemaProblem)}</Callout>}
      <TextField label={texts.group} value={group} onChange={setGroup} list={GROUPS_ID} autoComplete="off" maxLength={32} problem={GROUP.test(group) ? undefined : texts.groupProblem} />
      <datalist id={GROUPS_ID}>
        {groups.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p className="-mt-2 text-sm text-muted">{members.length > 0 ? texts.members(members.join(', ')) : texts.groupNote}</p>
      {approve.error && <ErrorCallout error={approve.error.info} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{layoutTexts.cancel}</Button>
        <Button type="submit" kind="primary" disabled={approve.isPending || !GROUP.test(group)}>
          {approve.isPending ? texts.confirming : texts.confirm}
        </Button>
      </div>
    </form>
  );
}
