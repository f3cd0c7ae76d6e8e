import { readBytes, type Transport, TransportError } from '../../foundation/transport.ts';

/** A page made readable. */
export interface ReadablePage {
  readonly title: string;
  readonly text: string;
}

/** Network access of server tools and plugins; one whose member is absent reports that it cannot be used. */
export interface WebAccess {
  /** Transport for addresses that callers and models name: it must reach public ones only. */
  readonly transport?: Transport | undefined;
  /**
   * Takes a page's text out of its HTML. Default: none, and pages of HTML cannot be read. The message of a `GatewayError`
   * is shown, that of any other error is not; the same goes for `readPdf` and `recognisePdf`.
   */
  readonly readHtml?: ((html: string) => Promise<ReadablePage>) | undefined;
  /** Takes the text out of a PDF, page by page; rejects for what is none. */
  readonly readPdf?: ((bytes: Uint8Array) => Promise<readonly string[]>) | undefined;
  /** Reads the text in the images of some pages of a PDF, page by page; a page without any is an empty text. */
  readonly recognisePdf?: ((bytes: Uint8Array, scan: ScanOptions) => Promise<readonly string[]>) | undefined;
  readonly searchEngine?: SearchEngine | undefined;
}

export interface ScanOptions {
  /** From 1. */
  readonly pages: readonly number[];
  readonly signal: AbortSignal;
}

export interface SearchQuery {
  readonly query: string;
  readonly maxResults: number;
  /** Sites, as far as the engine can filter by them; the gateway filters the results again. */
  readonly allowedDomains: readonly string[];
  readonly excludedDomains: readonly string[];
  /** Two letters, where the caller is known to be. */
  readonly country?: string | undefined;
  readonly signal: AbortSignal;
}

export interface SearchResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

/** Something that finds pages on the web. Rejects with `TransportError`, or `ToolFailure` in words for the model. */
export interface SearchEngine {
  readonly name: string;
  search(query: SearchQuery): Promise<readonly SearchResult[]>;
}

/** The content at an address. */
export interface FetchedAddress {
  /** Address after redirects. */
  readonly url: string;
  /** Lower case, with its parameters; empty when there was none. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

interface FetchOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Called for every address of the redirects; throws for one that may not be called. */
  readonly check?: ((url: string) => void) | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,text/plain,application/json;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'model-gateway/0.1 (+server tool)',
};

/** The transport checks every redirect. Rejects with `TransportError`, also for a status that is no success. */
export async function fetchAddress(address: string, options: FetchOptions): Promise<FetchedAddress> {
  const { transport, signal, maxBytes, check } = options;
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    check?.(url);
    const response = await transport.send({
      method: 'GET',
      url,
      headers: HEADERS,
      signal,
      headersTimeoutMs: TIMEOUT_MS,
      idleTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
      maxBodyBytes: maxBytes,
    });
    const bytes = await readBytes(response.body);
    const next = REDIRECTS.has(response.status) ? URL.parse(response.headers['location'] ?? '', url) : null;
    if (next === null) {
      if (response.status < 200 || response.status > 299)
        throw failure(`the address returned status ${response.status}`);
      return { url, contentType: response.headers['content-type']?.toLowerCase() ?? '', bytes };
    }
    url = next.href;
  }
  throw failure('the address redirects too often');
}

const failure = (message: string): TransportError =>
  new TransportError(message, { phase: 'headers', requestSent: true });

/** Rules for the sites that may be used; an empty or absent list has no effect. */
interface DomainRules {
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

/** A page that a completion may cite. */
interface Source {
  readonly url: string;
  readonly title: string;
  readonly content?: string | undefined;
}

/** Converts a source to an annotation of the completion; it has no position in the text. */
export function toUrlCitation({ url, title, content }: Source): object {
  return {
    type: 'url_citation',
    url_citation: { url, title, ...(content !== undefined && { content }), start_index: 0, end_index: 0 },
  };
}

/** A text of at most this many characters, and not half of one at its end. */
export function clipText(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '');
}
