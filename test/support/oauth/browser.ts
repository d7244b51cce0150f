/** What an owner's browser does with a page: follows every redirect with its cookies, and shows the last answer. */
export async function browse(start: string): Promise<{ readonly status: number; readonly url: string; readonly text: string }> {
  const jars = new Map<string, Map<string, string>>();
  let url = start;
  for (let step = 0; step < 20; step++) {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return { status: response.status, url, text: await response.text() };
    await response.arrayBuffer();
    url = new URL(location, url).href;
  }
  throw new Error('the browser was sent around in a circle');
}
