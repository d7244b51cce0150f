import { application } from './app.mjs';
import { record, strict } from './strict.mjs';

const handlers = new Map();
const privileged = new Set();
let beforeRequest;

/** Chromium knows no schemes of ours: `app://host/path` is `https://host.app.double/path` inside it. */
export const toChromium = (url) => {
  const parts = /^([a-z][\w+.-]*):\/\/([^/]*)(.*)$/.exec(url);
  return parts && handlers.has(parts[1]) ? `https://${parts[2]}.${parts[1]}.double${parts[3]}` : url;
};
export const fromChromium = (url) => {
  const parts = /^https:\/\/([^/]+)\.([\w+-]+)\.double(.*)$/.exec(url);
  return parts ? `${parts[2]}://${parts[1]}${parts[3]}` : url;
};

/** Answers one request of a page: by webRequest's word, by the scheme's handler, else by Chromium. */
export async function answer(route, request) {
  const url = fromChromium(request.url());
  const verdict = await new Promise((resolve) => {
    if (beforeRequest) beforeRequest({ url, method: request.method() }, resolve);
    else resolve({});
  });
  if (verdict.cancel) return route.abort('blockedbyclient');
  const handler = handlers.get(/^([a-z][\w+.-]*):/.exec(url)?.[1]);
  if (!handler) return route.fallback();
  const response = await handler(new Request(url, { method: request.method(), headers: request.headers() }));
  return route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body: Buffer.from(await response.arrayBuffer()) });
}

export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(schemes) {
    if (application.isReady()) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme } of schemes) privileged.add(scheme);
  },
  handle(scheme, handler) {
    if (!privileged.has(scheme)) throw new Error(`electron double: ${scheme} was not registered as privileged`);
    handlers.set(scheme, handler);
  },
});

export const session = strict('session', {
  defaultSession: strict('session.defaultSession', {
    setPermissionRequestHandler: (handler) => (record.permissions.request = handler),
    setPermissionCheckHandler: (handler) => (record.permissions.check = handler),
    setDevicePermissionHandler: (handler) => (record.permissions.device = handler),
    on() {},
    webRequest: strict('webRequest', { onBeforeRequest: (handler) => (beforeRequest = handler) }),
  }),
});
