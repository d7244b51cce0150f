import { useCallback, useMemo } from 'react';
import type { ActivityEntry } from '../../../../shared/contract/activity.ts';
import { assetId } from '../../../../shared/money/asset-id.ts';
import { activityTexts as texts } from '../../../texts/activity.ts';
import { useRead } from '../../server-state.tsx';

/** The log keeps ids and numbers; this gives the names that they have now. What has none, or only its owner may read, stays as it is. */
export function useSubjectWords(): (entry: Pick<ActivityEntry, 'act' | 'subject'>) => string {
  const accounts = useRead('accounts.list', { all: true }).data;
  const contacts = useRead('contacts.list', {}).data;
  const networks = useRead('settings.get', {}).data?.networks;
  const names = useMemo(
    () =>
      new Map<string, string>([
        ...(accounts?.balances ?? []).map(({ asset }) => [assetId(asset), texts.asset(asset.symbol, asset.networkName)] as const),
        ...(accounts?.accounts ?? []).map(({ id, label }) => [id, label] as const),
        ...(networks ?? []).map(({ network, name }) => [network, name] as const),
      ]),
    [accounts, networks],
  );
  const contactNames = useMemo(() => new Map((contacts?.contacts ?? []).map(({ number, name }) => [String(number), name])), [contacts]);

  return useCallback(
    ({ act, subject }) => {
      if (subject === '') return '';
      if (act === 'policy.version') return texts.version(subject);
      if (act.startsWith('contacts.')) return texts.contact(subject, contactNames.get(subject) ?? '');
      if (act === 'owner.setLockAfter') return texts.minutes(subject);
      if (act === 'escrows.send') return texts.byLink[subject] ?? subject;
      return names.get(subject) ?? subject;
    },
    [names, contactNames],
  );
}
