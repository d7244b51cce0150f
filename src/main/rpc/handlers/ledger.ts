import type { LedgerStatus } from '../../../shared/contract/ledger.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Acceptance } from '../../adapters/store/accept.ts';
import type { LedgerIntegrity } from '../../adapters/store/integrity.ts';
import type { Handlers } from '../router.ts';

export interface LedgerDeps {
  readonly integrity: LedgerIntegrity;
  readonly acceptances: () => readonly Acceptance[];
  /** Takes the ledger as it stands. */
  readonly accept: (author: string) => Promise<void>;
  /** Puts back the settings that were changed from outside. */
  readonly putSettingsBack: () => void;
}

export function ledgerHandlers({ integrity, acceptances, accept, putSettingsBack }: LedgerDeps): Pick<Handlers, 'ledger.status' | 'ledger.verify' | 'ledger.accept' | 'settings.putBack'> {
  const requireVerified = (): void => {
    if (!integrity.verified) throw new BursarError('WALLET_LOCKED', 'The ledger is compared with what lies with the keys, and they are locked.');
  };
  const status = (): LedgerStatus => ({
    cause: integrity.cause,
    canPutBack: integrity.canPutBack,
    findings: [...integrity.findings()],
    verified: integrity.verified,
    acceptances: acceptances().map(({ at, author, findings }) => ({ at, author, findings: [...findings] })),
  });
  return {
    'ledger.status': status,
    async 'ledger.verify'() {
      requireVerified();
      const { entries, payments } = await integrity.audit();
      return { ...status(), entries, payments };
    },
    async 'ledger.accept'(_input, caller) {
      requireVerified();
      if (integrity.findings().length === 0) throw new BursarError('NOT_FOUND', 'Nothing was changed from outside, so there is nothing to accept.', { hint: 'Nothing needs to be done.' });
      await accept(`owner, ${caller.surface}`);
      return status();
    },
    'settings.putBack'() {
      requireVerified();
      putSettingsBack();
      return status();
    },
  };
}
