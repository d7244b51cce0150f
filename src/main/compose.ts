import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createToolFacts } from '../core/challenges/tool-facts.ts';
import { underWay } from '../core/payments/under-way.ts';
import type { Keys } from '../core/ports.ts';
import type { Scope } from '../shared/access/scopes.ts';
import { isBursarError } from '../shared/errors/errors.ts';
import { systemClock } from './adapters/clock.ts';
import { armFailpoints } from './adapters/failpoints.ts';
import { openHome, type Home } from './adapters/home/home.ts';
import { createLog } from './adapters/home/log.ts';
import { openKeys } from './adapters/keys/open-keys.ts';
import { startSandbox, type Sandbox } from './adapters/sandbox.ts';
import { createAccounts } from './adapters/store/accounts.ts';
import { createClients } from './adapters/store/clients.ts';
import { createContacts } from './adapters/store/contacts.ts';
import { openDatabase, requireDatabase } from './adapters/store/database.ts';
import { createSignedNonces } from './adapters/store/signed-nonces.ts';
import { createUpstreams } from './adapters/store/upstreams.ts';
import { createBridge } from './bridge/bridge.ts';
import type { ClientCaller } from './bridge/http-gate.ts';
import { createInterceptor } from './bridge/interceptor.ts';
import { createServerWords } from './bridge/server-words.ts';
import type { Addresses, Engine, EngineOptions } from './engine.ts';
import { bursarCommand } from './bursar-command.ts';
import { addDemoAccounts } from './demo-accounts.ts';
import { createHttpBuyer } from './http-buyer/http-buyer.ts';
import { createEventHub } from './rpc/event-hub.ts';
import { accountHandlers } from './rpc/handlers/accounts.ts';
import { activityHandlers } from './rpc/handlers/activity.ts';
import { buyHandlers } from './rpc/handlers/buy.ts';
import { clientAccessHandlers } from './rpc/handlers/client-access.ts';
import { contactHandlers } from './rpc/handlers/contacts.ts';
import { ledgerHandlers } from './rpc/handlers/ledger.ts';
import { paymentHandlers } from './rpc/handlers/payments.ts';
import { secretHandlers } from './rpc/handlers/secrets.ts';
import { sendHandlers } from './rpc/handlers/sends.ts';
import { upstreamAuthHandlers } from './rpc/handlers/upstream-auth.ts';
import { recordActs } from './rpc/record-acts.ts';
import { createRouter } from './rpc/router.ts';
import { createSavePolicy } from './rpc/save-policy.ts';
import { createSecretsShown } from './rpc/secrets-shown.ts';
import { createServerLogs } from './server-logs/server-logs.ts';
import { guardedSettings } from './settings/guarded-settings.ts';
import { createUpstreamRegistry } from './upstreams.ts';
import { createToolSet } from './wallet-tools/tool-set.ts';
import { wireAccess } from './wire-access.ts';
import { wireApp } from './wire-app.ts';
import { wireApprovals } from './wire-approvals.ts';
import { wireBackup } from './wire-backup.ts';
import { wireChains } from './wire-chains.ts';
import { wireClients } from './wire-clients.ts';
import { wireDelegation } from './wire-delegation.ts';
import { wireDiscovery } from './wire-discovery.ts';
import { wireEscrow } from './wire-escrow.ts';
import { wireLedger } from './wire-ledger.ts';
import { wireOwner } from './wire-owner.ts';
import { wirePayments } from './wire-payments.ts';
import { wirePresence } from './wire-presence.ts';
import { wireRails } from './wire-rails.ts';
import { wireServers } from './wire-servers.ts';
import { wireSettings } from './wire-settings.ts';
import { wireUpstreamAuth } from './wire-upstream-auth.ts';
import { contactMoved, wireWalletTools } from './wire-wallet-tools.ts';

/**
 * Opens a data folder and wires core, adapters and contract over it. Throws `HOME_IN_USE`, `CONFIG_CORRUPT`, `DATABASE_CORRUPT`,
 * `DATABASE_TOO_NEW`, `KEYCHAIN_UNAVAILABLE`, `VAULT_CORRUPT`.
 */
export async function openEngine({ environment, host, home: folder, files, version, preferVault = false, newLedger = false, live, openExternal, touchId, loginItem, abilities = {}, desktop }: EngineOptions): Promise<Engine> {
  if (__FAILPOINTS__) armFailpoints();
  const home = openHome({ environment, ...(folder !== undefined && { home: folder }) });
  // While nobody else can have the folder: a client's shim starts the next Bursar as soon as this one is gone.
  let beforeRelease = (): Promise<void> => Promise.resolve();
  const cleanUp: (() => void | Promise<void>)[] = [() => beforeRelease().finally(() => home.close())];
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
    const ledger = wireLedger({ db, database: home.paths.database, searchEntry: files.search, clock, log, settings: guardedSettings(home, () => wired.reopen()), changed: () => events.publish('app') });
    cleanUp.unshift(() => ledger.close());
    const { integrity, journal, history, search, activity, policies, assets, shownAssets, addUp } = ledger;
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
    const changeSettings = (change: () => void): Promise<void> => integrity.changeSettings(wallet.ledger, change);
    const wired = wireChains({ home, wallet, sandbox, assets, shownAssets, clock, log, changeSettings, changed: (what) => events.publish(what) });
    cleanUp.unshift(() => wired.close());
    const { chain, chains, networks, balances, lowBalance, facilitators, fund } = wired;
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
    const rails = wireRails({ keys, random, signedNonces: createSignedNonces(db), assets, shownAssets, chains, facilitators, ...(sandbox && { cardsUrl: sandbox.card.url }), realMoney, log });

    const paymentsChanged = () => {
      balances.expire();
      events.publish('payments');
      events.publish('accounts');
    };
    const facts = createToolFacts({
      now: () => clock.now(),
      changed: () => events.publish('upstreams'),
      linkSeen: ({ upstream, tool, kind }) => log.info('a server asks the person to open a page; nothing is paid for it', { upstream, tool, kind }),
    });
    const { payments, approvals, reconciler, keptAnswers, cancellations, schemas } = wirePayments({
      home, journal, policies, integrity, keys, rails, chain, clock, random, log, facts,
      isUpstream: (name) => upstreams.find(name) !== undefined,
      realMoney,
      changed: paymentsChanged,
      approvalsChanged: () => events.publish('approvals'),
    });
    const sandboxHosts = (): readonly string[] => (sandbox ? [new URL(sandbox.seller.mcpUrl).host, new URL(sandbox.seller.apiUrl).host] : []);
    const isOpen = (url: URL) => [...sandboxHosts(), ...(policies.current().policy.paying?.openHosts ?? [])].some((open) => open === url.host || open === url.hostname);
    const buyer = createHttpBuyer({ payments, clock, realMoney, isOpen });
    const serverWords = createServerWords(() => clock.now());
    const contacts = createContacts(db, clock, wallet.sealer);
    const secretsShown = createSecretsShown({ clock });
    const escrow = wireEscrow({
      db, home, changeSettings, integrity, wallet, contacts, random, clock, log, assets, shownAssets, chains, facilitators,
      locked: () => keys.locked,
      networkOptions: networks,
      shown: secretsShown,
      networks: () => chain.networks(),
      changed: () => events.publish('escrows'),
    });
    const walletTools = wireWalletTools({ escrow, environment, payments, journal, clock, assets, shownAssets, chains, balances, contacts, enabledUpstreams: () => upstreams.enabled(), scopesOf: (client, limit) => access.scopesOf(callerOf(client, limit)), keys, rails, chain, policies });
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
      chains,
      rpcUrl: (network) => (sandbox ? networks()[network]?.rpcUrls[0] : undefined),
      changed(what) {
        balances.expire();
        events.publish(what);
      },
    });
    const tools = createToolSet({ tools: () => [...walletTools.tools, ...delegation.tools, ...discovery.tools()], approved: discovery.approvedTools, scopesOf: (client, limit) => access.scopesOf(callerOf(client, limit)), require: (scope, client, limit) => access.require(scope, callerOf(client, limit)) });
    const serverLogs = createServerLogs({ now: () => clock.now(), changed: () => events.publish('upstreams') });
    const bridge = createBridge({
      upstreams: (name) => upstreams.spec(name),
      watch: serverLogs,
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

    let addresses: Addresses = { mcpUrl: '', dashboardUrl: () => '', httpProblem: () => '' };
    const lockChanged = async () => {
      if (!wallet.locked) {
        const first = !integrity.verified;
        await integrity.open(wallet.ledger).catch((error: unknown) => {
          if (isBursarError(error, 'HOME_NETWORK_MISMATCH')) wallet.lock();
          throw error;
        });
        if (first) resume();
      }
      await upstreams.reload();
      for (const topic of LOCK_TOPICS) events.publish(topic);
    };
    const clientsChanged = () => events.publish('clients');
    const servers = wireServers({ upstreams, approvals, facts, schemas, logs: serverLogs, auths, home, changeSettings, bridge, version, mcpUrl: () => addresses.mcpUrl, published: () => events.publish('upstreams') });
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
      upstreamChanged: servers.changed,
      upstreamView: servers.view,
    });
    const owner = wireOwner({ home, wallet, clock, random, log, realMoney, sessionsChanged: () => events.publish('owner'), lockChanged });
    cleanUp.unshift(() => owner.idle.stop());
    const savePolicy = createSavePolicy({ policies, approvals, addUp, reassess: () => payments.reassess(), changed: () => events.publish('policy') });
    const presence = wirePresence({ db, clock, random, log, wallet, policies, savePolicy, integrity, approvals, quoted: delegation.quoted, escrows: walletTools.escrow.store, shownAssets, gate: owner.gate, realMoney, touchId });
    const accountsChanged = async (): Promise<void> => {
      balances.expire();
      await fund();
      events.publish('accounts');
    };
    const bought = buyHandlers({ buyer, journal, assets: shownAssets });
    const settings = wireSettings({
      home, db, wallet, clock, abilities, desktop, networks, journal,
      ...(loginItem && { loginItem }),
      paidApi: sandbox?.seller.apiUrl ?? '',
      buy: async (url, caller) => bought['payments.buy']({ url }, caller),
      dropNetwork: wired.dropNetwork,
      underWay: (network) => walletTools.escrow.store.underWay(network) + delegation.underWay(network),
      changed: () => events.publish('settings'),
    });
    // Last of all: the folder is emptied once nothing has it open.
    cleanUp.push(() => settings.finish());
    const handlers = {
      ...wireApp({
        home, host, version, wallet, clock, integrity, balances, lowBalance, auths, upstreams, networks, facilitators,
        setNetwork: wired.setNetwork,
        changeSettings,
        addresses: () => addresses,
        clientNames: () => clients.list().map(({ name }) => name),
        registered: async (caller) => (await clientRoutes['clients.list']({}, caller)).clients,
        testServer: servers.test,
        settingsChanged: () => events.publish('settings'),
      }),
      ...accountHandlers({
        wallet,
        balances,
        realMoney,
        lowBalance,
        assets,
        networks: () => chains().networks(),
        changed: accountsChanged,
      }),
      ...wireBackup({ home, db, wallet, clock, version }),
      ...secretHandlers({ wallet, shown: secretsShown, log, changed: accountsChanged, sealChanged: () => events.publish('app') }),
      ...wireApprovals({ approvals, savePolicy, policies, history, journal, contacts, upstreams, keys, accounts: () => wallet.accounts(), shownAssets, clock, random, addUp }),
      ...paymentHandlers({ history, search, journal, payments, cancellations, policies, assets: shownAssets, clock, upstreamNames: () => upstreams.list().map(({ name }) => name) }),
      ...activityHandlers(activity),
      ...bought,
      ...ledgerHandlers({
        integrity,
        acceptances: () => history.acceptances(),
        async accept(author) {
          await integrity.accept(author, wallet.ledger, () => policies.startAnew('Bursar, after the ledger was accepted'));
          resume();
          events.publish('policy');
          events.publish('payments');
        },
        putSettingsBack() {
          integrity.putSettingsBack();
          resume();
        },
      }),
      ...servers.handlers,
      ...upstreamAuthHandlers({ auths, ...(openExternal && { openExternal }) }),
      ...clientRoutes,
      ...clientAccessHandlers({ clients, tokenUrl: () => addresses.mcpUrl.replace(/\/mcp$/, '/oauth/token'), changed: clientsChanged, ended: access.end, scopesChanged: access.scopesChanged }),
      ...discovery.handlers,
      ...contactHandlers({ contacts, assets, accounts: () => wallet.accounts(), changed: () => events.publish('contacts'), moved: contactMoved(payments) }),
      ...delegation.handlers,
      ...sendHandlers({ sends: walletTools.sends, journal, assets: shownAssets }),
      ...walletTools.escrow.handlers,
      ...owner.handlers,
      ...presence.handlers,
      ...settings.handlers,
    };

    return {
      home,
      router: createRouter({ handlers, gate: owner.gate, log, takeProof: presence.takeProof, ownerActed: () => owner.idle.active(), acted: recordActs({ activity, clock, log, changed: () => events.publish('activity') }) }),
      events,
      bridge,
      approvals,
      sessions: owner.sessions,
      secretsShown,
      log,
      clients,
      access,
      wallet,
      unlock: owner.unlock,
      lock: owner.lock,
      setupCode: owner.setupCode.text,
      keysBackend: wallet.passphraseBeside ? 'vault file; its passphrase lies beside it, which is fit for play money only' : wallet.backend === 'vault' ? 'vault file' : wallet.sealed ? 'OS keychain, also under your passphrase' : 'OS keychain',
      underWay: () => underWay(journal.unresolved()),
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

/** What a page shows otherwise while the keys are locked. */
const LOCK_TOPICS = ['owner', 'app', 'approvals', 'contacts', 'escrows'] as const;

const lostLedgerHint = (home: Home): string =>
  `Put it back from a backup. If it is lost for good, this begins an empty one, where budgets count from nothing and servers, clients and imported accounts have to be added again: ${bursarCommand('ledger accept --new', home)}`;

async function runAll(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}
