import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createToolFacts } from '../core/challenges/tool-facts.ts';
import { createApprovals, type Approvals } from '../core/payments/approvals.ts';
import { clientProfile } from '../core/payments/client-profiles.ts';
import { createCancellations } from '../core/payments/cancel.ts';
import type { PaidCall } from '../core/payments/call.ts';
import { createOutputSchemas } from '../core/payments/output-schemas.ts';
import { createPayments } from '../core/payments/pay.ts';
import { createKeptAnswers } from '../core/payments/kept-answers.ts';
import { createReconciler } from '../core/payments/reconcile.ts';
import { assetsInForce } from '../core/policy/policy-assets.ts';
import { createRelease } from '../core/payments/release.ts';
import type { Chain, Keys } from '../core/ports.ts';
import { findNetwork, isChain, NETWORKS, requireNetwork, type NetworkId } from '../core/registry/networks.ts';
import type { AppStatus, Environment } from '../shared/contract/app.ts';
import { BursarError, toErrorInfo } from '../shared/errors/errors.ts';
import { systemClock } from './adapters/clock.ts';
import { createBalances, type Balances } from './adapters/balances.ts';
import { createChains, type NetworkOptions } from './adapters/chain/chains.ts';
import type { EscrowSeed } from './escrow/escrow-keys.ts';
import { DEFAULT_FACILITATORS } from './adapters/facilitators/facilitators.ts';
import { armFailpoints } from './adapters/failpoints.ts';
import { openHome, type Home } from './adapters/home/home.ts';
import { createLog } from './adapters/home/log.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import { openKeys } from './adapters/keys/open-keys.ts';
import { createSchemaCheck } from './adapters/schema-check.ts';
import { createSignatures } from './adapters/signatures.ts';
import { createAccounts } from './adapters/store/accounts.ts';
import { createClients } from './adapters/store/clients.ts';
import { createContacts } from './adapters/store/contacts.ts';
import { openDatabase, requireDatabase } from './adapters/store/database.ts';
import { createIntegrity } from './adapters/store/integrity.ts';
import { createEscrowStore } from './adapters/store/escrows.ts';
import { createMailStore } from './adapters/store/mail-settings.ts';
import { createHistory } from './adapters/store/history.ts';
import { createActivityLog } from './adapters/store/activity.ts';
import { createSearchThread } from './adapters/store/search-thread.ts';
import { createJournal } from './adapters/store/journal.ts';
import { createPolicies } from './adapters/store/policies.ts';
import { createSignedNonces } from './adapters/store/signed-nonces.ts';
import { createUpstreams } from './adapters/store/upstreams.ts';
import { claimedName } from '../core/policy/unverified.ts';
import { createBridge, type Bridge } from './bridge/bridge.ts';
import { createInterceptor } from './bridge/interceptor.ts';
import { createServerWords } from './bridge/server-words.ts';
import { createEventHub, type EventHub } from './rpc/event-hub.ts';
import { createGate } from './rpc/gate.ts';
import { createHttpBuyer } from './http-buyer/http-buyer.ts';
import { activityHandlers } from './rpc/handlers/activity.ts';
import { buyHandlers } from './rpc/handlers/buy.ts';
import { accountHandlers } from './rpc/handlers/accounts.ts';
import { appHandlers } from './rpc/handlers/app.ts';
import { approvalHandlers } from './rpc/handlers/approvals.ts';
import { clientAccessHandlers } from './rpc/handlers/client-access.ts';
import { contactHandlers } from './rpc/handlers/contacts.ts';
import { escrowHandlers } from './rpc/handlers/escrows.ts';
import { ledgerHandlers } from './rpc/handlers/ledger.ts';
import { ownerHandlers } from './rpc/handlers/owner.ts';
import { secretHandlers } from './rpc/handlers/secrets.ts';
import { paymentHandlers } from './rpc/handlers/payments.ts';
import { policyHandlers } from './rpc/handlers/policy.ts';
import { sendHandlers } from './rpc/handlers/sends.ts';
import { upstreamAuthHandlers } from './rpc/handlers/upstream-auth.ts';
import { upstreamHandlers } from './rpc/handlers/upstreams.ts';
import { checkUp } from './rpc/checkup.ts';
import { probeUpstream } from './rpc/probe-upstream.ts';
import { createIdleLock, DEFAULT_LOCK_MINUTES } from './rpc/idle-lock.ts';
import { createOwnerSessions, type OwnerSessions } from './rpc/owner-sessions.ts';
import { createShownAssets } from './rpc/shown-assets.ts';
import { recordActs } from './rpc/record-acts.ts';
import { createRouter, type Router } from './rpc/router.ts';
import { createSecretsShown, type SecretsShown } from './rpc/secrets-shown.ts';
import { createSetupCode } from './rpc/setup-code.ts';
import { startSandbox, type Sandbox } from './adapters/sandbox.ts';
import { bursarCommand } from './bursar-command.ts';
import { addDemoAccounts } from './demo-accounts.ts';
import { createUpstreamRegistry, upstreamAddress } from './upstreams.ts';
import type { ProgramFiles } from './program-files.ts';
import type { Scope } from '../shared/access/scopes.ts';
import type { ClientCaller } from './bridge/http-gate.ts';
import { createLowBalance } from './wallet/low-balance.ts';
import { createToolSet } from './wallet-tools/tool-set.ts';
import { wireAccess, type Access } from './wire-access.ts';
import { wireBackup } from './wire-backup.ts';
import { wireClients } from './wire-clients.ts';
import { wireDelegation } from './wire-delegation.ts';
import { wireDiscovery } from './wire-discovery.ts';
import { wireEscrow } from './wire-escrow.ts';
import { wireRails } from './wire-rails.ts';
import { wireUpstreamAuth } from './wire-upstream-auth.ts';
import type { Orders } from './wallet/orders.ts';
import { wireWalletTools } from './wire-wallet-tools.ts';

export interface EngineOptions {
  readonly environment: Environment;
  readonly host: 'electron' | 'headless';
  /** The data folder; the environment's default folder without it. */
  readonly home?: string;
  readonly files: ProgramFiles;
  readonly version: string;
  /** Keeps the keys of a new data folder in a vault file although a keychain may be there: for folders that are thrown away. */
  readonly preferVault?: boolean;
  /** Begins an empty ledger where that of existing keys is lost, as the owner wishes. */
  readonly newLedger?: boolean;
  /** False for a command that only reads or changes settings: no sandbox is started and no payment followed. */
  readonly live: boolean;
  /** Opens a page in the owner's browser, where the host can. */
  readonly openExternal?: (url: string) => void;
}

/** How a listening application is reached. */
export interface Addresses {
  readonly mcpUrl: string;
  readonly dashboardUrl: () => string;
  /** Why HTTP clients cannot reach the address now; empty where they can. */
  readonly httpProblem: () => string;
}

/** Everything of the application but its carriers: the parts are wired here and nowhere else. */
export interface Engine {
  readonly home: Home;
  readonly router: Router;
  readonly events: EventHub;
  readonly bridge: Bridge;
  readonly approvals: Approvals;
  readonly sessions: OwnerSessions;
  readonly secretsShown: SecretsShown;
  readonly log: ReturnType<typeof createLog>;
  readonly clients: ReturnType<typeof createClients>;
  readonly access: Access;
  readonly wallet: Wallet;
  /** Unlocks the keys, or makes them under this passphrase where they wait for the first one. Throws `PASSPHRASE_WRONG`. */
  unlock(passphrase: string): Promise<void>;
  /** Locks the keys and ends every owner session; does nothing where there is no passphrase that could unlock them again. */
  lock(): void;
  /** The code that the first passphrase needs outside of Electron's window; for the terminal, and for a command that opened the folder itself. */
  readonly setupCode: string;
  /** In words, for the owner. */
  readonly keysBackend: string;
  upstreamNames(): readonly string[];
  /** Address of the sandbox's paid HTTP API; empty without a sandbox. */
  readonly paidApi: string;
  /** Says how the application is reached; known once it listens. */
  setAddresses(addresses: Addresses): void;
  close(): Promise<void>;
}

/**
 * Opens a data folder and wires core, adapters and contract over it. Throws `HOME_IN_USE`, `CONFIG_CORRUPT`, `DATABASE_CORRUPT`,
 * `DATABASE_TOO_NEW`, `KEYCHAIN_UNAVAILABLE`, `VAULT_CORRUPT`.
 */
export async function openEngine({ environment, host, home: folder, files, version, preferVault = false, newLedger = false, live, openExternal }: EngineOptions): Promise<Engine> {
  if (__FAILPOINTS__) armFailpoints();
  const home = openHome({ environment, ...(folder !== undefined && { home: folder }) });
  const cleanUp: (() => void | Promise<void>)[] = [() => home.close()];
  try {
    const log = createLog({ path: home.paths.log });
    cleanUp.unshift(() => log.close());
    const clock = systemClock;
    const random = (length: number) => new Uint8Array(randomBytes(length));
    const events = createEventHub({ log });
    const realMoney = environment === 'mainnet';

    if (!newLedger && (home.config().keys?.created || existsSync(home.paths.vault))) requireDatabase(home.paths.database, lostLedgerHint(home));
    const db = openDatabase(home.paths.database);
    cleanUp.unshift(() => void db.close());
    const integrity = createIntegrity({ db, clock, log, changed: () => events.publish('app') });
    const journal = createJournal(db, clock, integrity);
    const history = createHistory(db);
    const search = createSearchThread({ entry: files.search, database: home.paths.database });
    cleanUp.unshift(() => search.close());
    const activity = createActivityLog(db);
    const policies = createPolicies(db, clock, { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, guard: integrity });
    const assets = assetsInForce(policies);
    const shownAssets = createShownAssets(policies);
    const addUp = () => {
      const { policy } = policies.current();
      if (policy.caps.length > 0) journal.atomically((tx) => tx.used(policy, 0, { at: clock.now(), session: '' }));
    };
    addUp();
    const wallet = await openKeys({ home, accounts: createAccounts(db), preferVault });
    if (!wallet.locked) await integrity.open(wallet.ledger);
    cleanUp.unshift(() => integrity.close());
    const clients = createClients(db, clock, wallet.sealer);
    const access = wireAccess({ clients, clock, log, changed: () => events.publish('clients') });
    const signInsChanged = () => {
      events.publish('upstreams');
      events.publish('app');
    };
    const auths = wireUpstreamAuth({ db, clock, wallet, home, policies, changed: signInsChanged, log });
    cleanUp.unshift(() => auths.close());
    const upstreams = await createUpstreamRegistry(createUpstreams(db, clock, wallet.sealer), auths);

    let sandbox: Sandbox | undefined;
    if (live && environment === 'sandbox') {
      const running = process.env['BURSAR_SANDBOX'];
      sandbox = await startSandbox({ entry: files.sandbox, node: files.node, dir: join(home.folder, 'sandbox'), log, ...(running !== undefined && { running }) });
      cleanUp.unshift(() => sandbox?.close());
      await upstreams.put('demo', { kind: 'http', url: sandbox.seller.mcpUrl, headers: {} });
    }
    const networks = (): Readonly<Record<NetworkId, NetworkOptions>> => (sandbox ? sandboxNetworks(sandbox) : home.config().networks);
    const delegatedFrom = (address: string) => wallet.accounts().find((account) => account.address === address)?.delegatedFrom;
    const openChains = () => createChains({ networks: networks(), real: (id) => findNetwork(id)?.real ?? true, delegatedFrom, log });
    let chains = openChains();
    cleanUp.unshift(() => chains.close());
    const balance: Chain['balance'] = (...request) => chains.balance(...request);
    const lowBalance = createLowBalance({
      assets: { byId: (id) => shownAssets.byId(id) },
      thresholds: () => home.config().lowBalance ?? {},
      save: (thresholds) => void home.update({ lowBalance: { ...thresholds } }),
      changed: () => events.publish('app'),
    });
    const balances = createBalances({ chains: () => chains, assets, accounts: () => wallet.accounts(), clock, late: () => events.publish('accounts'), seen: (readings) => lowBalance.look(readings) });
    // What is no chain is enabled by the account that pays on it.
    const offChain = () => NETWORKS.filter(({ id, namespace }) => !isChain(id) && wallet.accounts().some((account) => account.namespace === namespace)).map(({ id }) => id);
    const chain: Chain = { networks: () => [...chains.networks(), ...offChain()], balance };
    // The accounts are there all the same; the next start tries again.
    const fund = async () => {
      if (sandbox) await fundNewAccounts(sandbox, balances).catch((error: unknown) => log.warn('no play money for a new account', { reason: toErrorInfo(error).message }));
    };
    if (sandbox) await addDemoAccounts(wallet, sandbox);
    await fund();

    // On real networks nothing is paid before the owner has set a passphrase: to the core that is a locked wallet.
    // So is one whose ledger was not compared yet: that is done between the unlocking and the first signature.
    const keys: Keys = {
      get locked() {
        return wallet.locked || !integrity.verified || (realMoney && !wallet.passphraseSet);
      },
      accounts: () => wallet.accounts(),
      use: (id, work) => wallet.use(id, work),
    };
    const facilitators = (network: NetworkId) => {
      const own = home.config().facilitators;
      return own?.[network] ?? own?.['*'] ?? (sandbox ? [sandbox.facilitatorUrl] : DEFAULT_FACILITATORS);
    };
    const rails = wireRails({ keys, random, signedNonces: createSignedNonces(db), assets, shownAssets, chains: () => chains, facilitators, ...(sandbox && { cardsUrl: sandbox.card.url }), realMoney, log });

    const paymentsChanged = () => {
      balances.expire();
      events.publish('payments');
      events.publish('accounts');
    };
    const approvals = createApprovals({ clock, random, changed: () => events.publish('approvals') });
    const reconciler = createReconciler({ journal, integrity, rails, clock, log, changed: paymentsChanged });
    const signatures = createSignatures();
    const schemas = createOutputSchemas(createSchemaCheck());
    const release = createRelease({ journal, rails, reconciler, signatures, clock, log, changed: paymentsChanged, schemas });
    const patience = (client: string) => {
      const name = claimedName(client);
      const own = home.config().clients?.[name];
      return own ? own.answerWithinSeconds * 1000 : clientProfile(name).answerWithinMs;
    };
    const facts = createToolFacts({
      now: () => clock.now(),
      changed: () => events.publish('upstreams'),
      linkSeen: ({ upstream, tool, kind }) => log.info('a server asks the person to open a page; nothing is paid for it', { upstream, tool, kind }),
    });
    // A bought address is no tool of a server.
    const challenged = ({ upstream, tool }: PaidCall, dialect: string) => {
      if (upstreams.find(upstream)) facts.noteChallenge(upstream, tool, dialect);
    };
    const keptAnswers = createKeptAnswers({ journal, integrity, clock, log, changed: paymentsChanged });
    const payments = createPayments({
      challenged,
      patience,
      settlement: (upstream) => (home.config().clientSettlement?.includes(upstream) ? 'client' : undefined),
      journal,
      policies,
      approvals,
      integrity,
      release,
      keys,
      rails,
      chain,
      clock,
      random,
      signatures,
      changed: paymentsChanged,
    });
    const sandboxHosts = (): readonly string[] => (sandbox ? [new URL(sandbox.seller.mcpUrl).host, new URL(sandbox.seller.apiUrl).host] : []);
    const isOpen = (url: URL) => [...sandboxHosts(), ...(policies.current().policy.paying?.openHosts ?? [])].some((open) => open === url.host || open === url.hostname);
    const buyer = createHttpBuyer({ payments, clock, realMoney, isOpen });
    const cancellations = createCancellations({ journal, rails, keys, reconciler, changed: paymentsChanged });
    const serverWords = createServerWords(() => clock.now());
    const contacts = createContacts(db, clock, wallet.sealer);
    const claims = () => home.config().claims ?? { pageUrl: '', expiryDays: CLAIM_DAYS };
    const mail = createMailStore(db, wallet.sealer);
    const escrowsChanged = () => events.publish('escrows');
    const escrowSeed: EscrowSeed = {
      get locked() {
        return keys.locked;
      },
      useEscrow: (...request) => wallet.useEscrow(...request),
    };
    const escrowStore = createEscrowStore(db, clock, wallet.sealer);
    const escrow = (orders: Orders) => wireEscrow({ orders, store: escrowStore, mail, contacts, seed: escrowSeed, random, clock, log, assets, shownAssets, chains: () => chains, networks: () => chain.networks(), facilitators, claims, changed: escrowsChanged });
    const walletTools = wireWalletTools({ escrow, environment, payments, journal, clock, assets, shownAssets, chains: () => chains, balances, contacts, enabledUpstreams: () => upstreams.enabled(), scopesOf: (client, limit) => access.scopesOf(callerOf(client, limit)), keys, rails, chain, policies });
    const discovery = wireDiscovery({
      db,
      clock,
      log,
      home,
      environment,
      realMoney,
      ...(sandbox && { sandboxSource: sandbox.seller.apiUrl }),
      isOpen,
      buyer,
      journal,
      assets: shownAssets,
      networks: () => chain.networks(),
      balances,
      words: serverWords,
      approvals,
      clients: () => clients.list().map(({ name }) => name),
      toolsChanged: () => tools.changed(),
      changed: () => events.publish('discovery'),
    });
    cleanUp.unshift(() => discovery.close());
    const delegation = wireDelegation({
      db, clock, random, keys, wallet, integrity, assets, shownAssets, log,
      scopesOf: (client) => access.scopesOf(callerOf(client, undefined)),
      chains: () => chains,
      rpcUrl: (network) => (sandbox ? networks()[network]?.rpcUrls[0] : undefined),
      changed(what) {
        balances.expire();
        events.publish(what);
      },
    });
    const tools = createToolSet({ tools: () => [...walletTools.tools, ...delegation.tools, ...discovery.tools()], approved: discovery.approvedTools, scopesOf: (client, limit) => access.scopesOf(callerOf(client, limit)), require: (scope, client, limit) => access.require(scope, callerOf(client, limit)) });
    const bridge = createBridge({
      upstreams: (name) => upstreams.spec(name),
      aggregate: { names: () => upstreams.enabled(), tools, seenIn: (client) => serverWords.seenIn(client), version },
      hook: createInterceptor({ payments, facts, words: serverWords, schemas, showsCosts: () => home.config().costInDescriptions ?? true, requireMayPay: access.requireMayPay }),
      log,
    });
    access.attach({ bridge, payments, tools });
    cleanUp.unshift(() => walletTools.escrow.sweep.stop(), () => bridge.close(), () => delegation.stop(), () => reconciler.stop(), () => keptAnswers.stop());
    const resume = () => {
      if (!live) return;
      reconciler.recover();
      delegation.recover();
      keptAnswers.start();
      walletTools.escrow.sweep.start();
      if (integrity.verified) integrity.auditInBackground();
    };
    resume();

    const sessions = createOwnerSessions({ clock, changed: () => events.publish('owner') });
    const gate = createGate({ realMoney, sessions });
    const setupCode = createSetupCode(random);
    let addresses: Addresses = { mcpUrl: '', dashboardUrl: () => '', httpProblem: () => '' };
    const lockChanged = async () => {
      if (!wallet.locked) {
        const first = !integrity.verified;
        await integrity.open(wallet.ledger);
        if (first) resume();
      }
      await upstreams.reload();
      for (const topic of LOCK_TOPICS) events.publish(topic);
    };
    const test = (name: string, options: { readonly withinMs: number }) => {
      if (upstreams.find(name) && !upstreams.spec(name)) throw new BursarError('WALLET_LOCKED', `The secrets of the server "${name}" are locked.`);
      return probeUpstream(name, options, { bridge, facts, version });
    };
    const clientsChanged = () => events.publish('clients');
    const upstreamChanged = async (name: string) => {
      // What waits was shown with the address that the name had.
      approvals.cancelAll(({ payment }) => payment.upstream === name);
      facts.forget(name);
      schemas.forget(name);
      await bridge.reset(name);
      events.publish('upstreams');
    };
    const clientRoutes = wireClients({
      db,
      clock,
      sealer: wallet.sealer,
      clients,
      upstreams,
      files,
      home: home.folder,
      mcpUrl: () => addresses.mcpUrl,
      httpProblem: () => addresses.httpProblem(),
      changed: clientsChanged,
      ended: access.end,
      upstreamChanged,
    });
    const lock = (): void => {
      if (!wallet.passphraseSet) return;
      wallet.lock();
      sessions.endAll();
      lockChanged().catch((error: unknown) => log.error('reading the servers anew failed', { reason: toErrorInfo(error).message }));
    };
    const idle = createIdleLock({ clock, minutes: home.config().lockAfterMinutes ?? (realMoney ? DEFAULT_LOCK_MINUTES : 0), lock: () => !wallet.locked && lock() });
    cleanUp.unshift(() => idle.stop());
    const secretsShown = createSecretsShown({ clock });
    const accountsChanged = async (): Promise<void> => {
      balances.expire();
      await fund();
      events.publish('accounts');
    };
    const handlers = {
      ...appHandlers({
        checkup: (options, caller) =>
          checkUp(options, {
            environment,
            wallet,
            integrity,
            networks,
            clients: async () => (await clientRoutes['clients.list']({}, caller)).clients,
            tokens: () => clients.list().map(({ name }) => name),
            upstreams: () => upstreams.list(),
            needsSignIn: (name) => auths.waiting().includes(name),
            test,
            now: () => clock.now(),
            command: (words) => bursarCommand(words, home),
          }),
        facilitators: {
          own: () => home.config().facilitators ?? {},
          inForce: () => (Object.keys(networks()) as NetworkId[]).map((network) => ({ network, urls: facilitators(network) })),
          set: (network, urls) => void home.setFacilitators(network, urls),
        },
        status: async () => ({
          version,
          environment,
          host,
          home: home.folder,
          mcpUrl: addresses.mcpUrl,
          keys: { backend: wallet.backend, locked: wallet.locked, passphraseBeside: wallet.passphraseBeside, sealed: wallet.sealed },
          networks: await networkStates(balances),
          warnings: [
            ...tamperingWarnings(integrity.findings()),
            ...[addresses.httpProblem()].filter(Boolean),
            ...auths.waiting().map((name) => `The server "${name}" waits for you to sign in: ${bursarCommand(`upstream authorize ${name}`, home)}`),
            ...(realMoney && wallet.passphraseSet && home.config().backedUpAt === undefined && wallet.seeds().every(({ revealedAt }) => revealedAt === undefined) ? [NOTHING_KEPT] : []),
            ...lowBalance.warnings(),
            ...(wallet.passphraseBeside ? ['These throwaway keys lie in a vault file whose passphrase lies beside it, not in a keychain. Keep play money on them and nothing else.'] : []),
          ],
        }),
        dashboardUrl: () => addresses.dashboardUrl(),
        setNetwork: (network, rpcUrls) => {
          if (sandbox) throw new BursarError('INPUT_INVALID', 'The sandbox brings its own networks.', { hint: 'Use --network testnet or mainnet to choose RPC addresses.' });
          home.setNetwork(network, rpcUrls);
          chains.close();
          chains = openChains();
          events.publish('app');
        },
      }),
      ...accountHandlers({
        wallet,
        balances,
        realMoney,
        lowBalance,
        assets,
        networks: () => chains.networks(),
        changed: accountsChanged,
      }),
      ...wireBackup({ home, db, wallet, clock, version }),
      ...secretHandlers({ wallet, shown: secretsShown, log, changed: accountsChanged, sealChanged: () => events.publish('app') }),
      ...approvalHandlers({
        approvals,
        keys,
        assets: shownAssets,
        upstreamAddress: (name) => {
          const found = upstreams.find(name);
          return found ? upstreamAddress(found.transport) : '';
        },
      }),
      ...paymentHandlers({ history, search, journal, payments, cancellations, policies, assets: shownAssets, clock, upstreamNames: () => upstreams.list().map(({ name }) => name) }),
      ...activityHandlers(activity),
      ...buyHandlers({ buyer, journal, assets: shownAssets }),
      ...policyHandlers({ policies, history, assets: shownAssets, accounts: () => wallet.accounts(), approvals, addUp, reassess: () => payments.reassess(), changed: () => events.publish('policy') }),
      ...ledgerHandlers({
        integrity,
        acceptances: () => history.acceptances(),
        async accept(author) {
          const { tampered } = await integrity.accept(author, wallet.ledger);
          if (tampered) policies.startAnew('Bursar, after the ledger was accepted');
          resume();
          events.publish('policy');
          events.publish('payments');
        },
      }),
      ...upstreamHandlers({
        upstreams,
        facts,
        authorization: (name) => auths.view(name),
        mcpUrl: () => addresses.mcpUrl,
        test,
        settledByBursar: () => home.config().clientSettlement ?? [],
        setSettledByBursar: (names) => void home.update({ clientSettlement: [...names] }),
        changed: upstreamChanged,
      }),
      ...upstreamAuthHandlers({ auths, ...(openExternal && { openExternal }) }),
      ...clientRoutes,
      ...clientAccessHandlers({ clients, tokenUrl: () => addresses.mcpUrl.replace(/\/mcp$/, '/oauth/token'), changed: clientsChanged, ended: access.end, scopesChanged: access.scopesChanged }),
      ...discovery.handlers,
      ...contactHandlers({ contacts, assets, accounts: () => wallet.accounts(), changed: () => events.publish('contacts') }),
      ...delegation.handlers,
      ...sendHandlers({ sends: walletTools.sends, journal, assets: shownAssets }),
      ...escrowHandlers({
        escrows: walletTools.escrow,
        mail,
        assets: shownAssets,
        claims,
        setClaims: (next) => void home.update({ claims: next }),
        pageConfig: () => {
          const enabled = Object.entries(networks()).filter(([id]) => isChain(id));
          return {
            facilitators: Object.fromEntries(enabled.map(([id]) => [id, [...facilitators(id as NetworkId)]])),
            rpcUrls: Object.fromEntries(enabled.map(([id, { rpcUrls }]) => [id, [...rpcUrls]])),
          };
        },
        changed: escrowsChanged,
      }),
      ...ownerHandlers({
        wallet,
        gate,
        sessions,
        setupCode,
        idle,
        keepLockAfter: (lockAfterMinutes) => void home.update({ lockAfterMinutes }),
        lockChanged,
      }),
    };

    return {
      home,
      router: createRouter({ handlers, gate, log, ownerActed: () => idle.active(), acted: recordActs({ activity, clock, log, changed: () => events.publish('activity') }) }),
      events,
      bridge,
      approvals,
      sessions,
      secretsShown,
      log,
      clients,
      access,
      wallet,
      async unlock(passphrase) {
        if (wallet.passphraseSet) await wallet.unlock(passphrase);
        else await wallet.setPassphrase(passphrase);
        idle.active();
        await lockChanged();
      },
      lock,
      setupCode: setupCode.text,
      keysBackend: wallet.passphraseBeside ? 'vault file; its passphrase lies beside it, which is fit for play money only' : wallet.backend === 'vault' ? 'vault file' : wallet.sealed ? 'OS keychain, also under your passphrase' : 'OS keychain',
      upstreamNames: () => upstreams.enabled(),
      paidApi: sandbox?.seller.apiUrl ?? '',
      setAddresses: (next) => {
        addresses = next;
      },
      close: () => runAll(cleanUp),
    };
  } catch (error) {
    await runAll(cleanUp);
    throw error;
  }
}

const callerOf = (client: string, scopes: readonly Scope[] | undefined): ClientCaller => ({ client, ...(scopes && { scopes }) });

/** Days in which money that was sent to somebody without a wallet can be claimed, unless the owner says otherwise. */
const CLAIM_DAYS = 14;

/** What a page shows otherwise while the keys are locked. */
const LOCK_TOPICS = ['owner', 'app', 'approvals', 'contacts', 'escrows'] as const;

const sandboxNetworks = ({ evm, solana }: Sandbox) => ({ [evm.network]: { rpcUrls: [evm.rpcUrl] }, [solana.network]: { rpcUrls: [solana.rpcUrl] } });

const lostLedgerHint = (home: Home): string =>
  `Put it back from a backup. If it is lost for good, this begins an empty one, where budgets count from nothing and servers, clients and imported accounts have to be added again: ${bursarCommand('ledger accept --new', home)}`;

const NOTHING_KEPT = 'No copy of this wallet exists: its words were never shown, and no backup was made. If this machine is lost, so is the money.';

/** What the owner reads of tampering, first of all warnings. */
const tamperingWarnings = (findings: readonly string[]): string[] =>
  findings.map((finding) => `${finding} Nothing is paid until you accept it: bursar ledger accept`);

/** A network counts as reachable while its balances can be read. */
async function networkStates(balances: Balances): Promise<AppStatus['networks']> {
  const stale = new Map<NetworkId, boolean>();
  for (const { asset, stale: silent } of await balances.read()) stale.set(asset.network, silent);
  return [...stale].map(([network, silent]) => ({ network, name: requireNetwork(network).name, reachable: !silent }));
}

/** Play money for every account that has none. */
async function fundNewAccounts(sandbox: Sandbox, balances: Balances): Promise<void> {
  const empty = (await balances.read()).filter(({ account, asset, units }) => account.source !== 'watch' && !units && asset.symbol === 'USDC');
  await Promise.all(empty.map(({ account, asset }) => sandbox.fund(asset.network, account.address)));
  balances.expire();
}

async function runAll(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}
