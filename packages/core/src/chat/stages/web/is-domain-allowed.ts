/** Rules for the sites that may be used; an empty or absent list has no effect. */
export interface DomainRules {
  readonly allowed?: readonly string[] | null | undefined;
  readonly excluded?: readonly string[] | null | undefined;
}

/** Whether the rules admit an address. */
export function isDomainAllowed(address: string, { allowed, excluded }: DomainRules): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (excluded?.some((pattern) => matchesDomain(url, pattern))) return false;
  return !allowed?.length || allowed.some((pattern) => matchesDomain(url, pattern));
}

/**
 * Whether an address belongs to a site, which includes its subdomains: `example.com`, `*.example.com` (subdomains
 * alone), `example.com/docs` (everything below that path).
 */
function matchesDomain({ hostname, pathname }: URL, pattern: string): boolean {
  const [domain = '', ...path] = pattern
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split('/');
  const host = hostname.replace(/\.$/, '');
  const isWildcard = domain.startsWith('*.');
  const base = isWildcard ? domain.slice(2) : domain;
  if (base === '' || !(host.endsWith(`.${base}`) || (!isWildcard && host === base))) return false;
  const below = `/${path.join('/').replace(/\/+$/, '')}`;
  const at = pathname.toLowerCase();
  return below === '/' || at === below || at.startsWith(`${below}/`);
}
