// A real OpenID provider (oidc-provider) that signs everybody in. See authorization-server.d.mts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

export async function startAuthorizationServer({ resources, scopes, accessTokenSeconds = 3600, registration = true, clients = [], document }) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const tokenRequests = [];
  const tokenParams = [];
  let epoch = 0;
  const given = new Map();
  const provider = new Provider(issuer, {
    clients,
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: ['a-key-of-the-test'] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({ scope: scopes.join(' '), audience: resource, accessTokenTTL: accessTokenSeconds, accessTokenFormat: 'opaque' }),
      },
      ...(document && { clientIdMetadataDocument: { enabled: true, ack: 'draft-02' } }),
    },
    ...(document && { fetch: (url, options) => (String(url) === document.url ? new Response(document.text, { headers: { 'content-type': 'application/json' } }) : fetch(url, options)) }),
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: { AccessToken: accessTokenSeconds, ClientCredentials: accessTokenSeconds, RefreshToken: 3600, Session: 3600, Interaction: 600, Grant: 3600 },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  });
  for (const event of ['access_token.saved', 'client_credentials.saved']) provider.on(event, ({ jti }) => given.set(jti, epoch));
  const handle = provider.callback();

  const interact = async (request, response) => {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') return provider.interactionFinished(request, response, { login: { accountId: 'owner' } }, { mergeWithLastSubmission: false });
    const grant = (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(String(params.scope ?? 'openid'));
    for (const resource of resources()) grant.addResourceScope(resource, String(params.scope ?? ''));
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  };

  const self = {
    issuer,
    tokenRequests,
    tokenParams,
    intercept: undefined,
    async scopeOf(token) {
      const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
      if (!found || found.isExpired || given.get(found.jti) !== epoch || !resources().includes(found.aud)) return undefined;
      return found.scope ?? '';
    },
    expireAccessTokens: () => void (epoch += 1),
    revokeEverything() {
      epoch += 1;
      self.intercept = (request, response) => {
        if (!request.url.startsWith('/token')) return false;
        request.resume();
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
        return true;
      };
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  server.on('request', (request, response) => {
    if (self.intercept?.(request, response)) return;
    if (request.url.startsWith('/interaction/')) return void interact(request, response).catch((error) => response.writeHead(500).end(String(error.stack)));
    if (request.url === '/token') return void countToken(request).then((replayed) => handle(replayed, response));
    handle(request, response);
  });
  /** Reads the body and hands it on as the provider expects it from a framework that has parsed it. */
  const countToken = async (request) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const params = new URLSearchParams(text);
    tokenRequests.push(params.get('grant_type') ?? '');
    tokenParams.push(params);
    request.body = Object.fromEntries(params);
    return request;
  };
  return self;
}
