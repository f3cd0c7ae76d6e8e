/** A response at the end of a way of redirects, and the addresses on it. */
export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly visited: readonly string[];
}

/** What a browser does of its own: it keeps cookies, which know no ports, and follows redirects. */
export interface CookieBrowser {
  readonly cookies: Map<string, string>;
  visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visited>;
  /** One request, without following. */
  ask(url: string, init?: RequestInit): Promise<Response>;
}

export function createCookieBrowser(): CookieBrowser {
  const cookies = new Map<string, string>();
  const ask: CookieBrowser['ask'] = async (url, init = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      const isOver = attributes.some((each) => /max-age=0$|expires=Thu, 01 Jan 1970/i.test(each.trim()));
      if (isOver) cookies.delete(name.trim());
      else cookies.set(name.trim(), value.join('='));
    }
    return response;
  };
  return {
    cookies,
    ask,
    async visit(url, form) {
      const visited: string[] = [url];
      let response = await ask(url, form && { method: 'POST', body: new URLSearchParams(form) });
      let at = url;
      while (response.status >= 300 && response.status < 400) {
        at = new URL(response.headers.get('location') ?? '', at).href;
        visited.push(at);
        // The UI is not there.
        if (new URL(at).pathname.endsWith('/ui/')) return { url: at, status: response.status, text: '', visited };
        response = await ask(at);
      }
      return { url: at, status: response.status, text: await response.text(), visited };
    },
  };
}
