/** What a browser has after it opened a dashboard address: the cookie, and the page's own key in the WebSocket protocols that the page offers. */
export interface SignedIn {
  readonly cookie: string;
  readonly protocols: readonly string[];
}

/** Reads it from the answer to the address. Throws where the address gave no session. */
export function signedInBy(answer: { readonly status: number; readonly location: string; readonly setCookie: string }): SignedIn {
  const [cookie = ''] = answer.setCookie.split(';');
  const key = /#key=([\w-]+)$/.exec(answer.location)?.[1];
  if (cookie === '' || key === undefined) throw new Error(`the dashboard's address gave no session (HTTP ${answer.status})`);
  return { cookie, protocols: ['bursar', `key.${key}`] };
}

/** Opens the one-time address of a dashboard as a browser does. */
export async function signIn(dashboard: string): Promise<SignedIn> {
  const { status, headers } = await fetch(dashboard, { redirect: 'manual' });
  return signedInBy({ status, location: headers.get('location') ?? '', setCookie: headers.get('set-cookie') ?? '' });
}
