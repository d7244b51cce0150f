import type { Log } from '../../../core/ports.ts';
import type { Wallet } from '../../adapters/keys/keys.ts';
import type { Handlers } from '../router.ts';
import type { SecretsShown } from '../secrets-shown.ts';

export interface SecretDeps {
  readonly wallet: Wallet;
  readonly shown: SecretsShown;
  /** Who was shown what, and never the secret. */
  readonly log: Log;
  /** Called once the accounts are others. */
  readonly changed: () => Promise<void>;
  /** Called once the keys are sealed. */
  readonly sealChanged: () => void;
}

type Routes = 'seeds.list' | 'seeds.reveal' | 'seeds.remove' | 'accounts.export' | 'secrets.hidden' | 'keys.seal';

export const secretHandlers = ({ wallet, shown, log, changed, sealChanged }: SecretDeps): Pick<Handlers, Routes> => ({
  'seeds.list': () => ({ seeds: [...wallet.seeds()] }),
  'seeds.reveal': async (request, { surface, connection }) => {
    const words = await wallet.revealWords(request);
    log.warn('the words of a wallet were shown', { id: request.seed, surface });
    if (surface === 'dashboard') shown.show(connection);
    return { words: [...words] };
  },
  'seeds.remove': async (request) => {
    await wallet.removeSeed(request);
    await changed();
    return {};
  },
  'accounts.export': async (request, { surface, connection }) => {
    const secret = await wallet.exportKey(request);
    log.warn('the key of an account was shown', { id: request.accountId, surface });
    if (surface === 'dashboard') shown.show(connection);
    return { secret };
  },
  'keys.seal': async ({ passphrase }) => {
    await wallet.seal(passphrase);
    sealChanged();
    return {};
  },
  'secrets.hidden': (_input, { connection }) => {
    shown.hide(connection);
    return {};
  },
});
