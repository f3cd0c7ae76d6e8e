import { readBytes, type Transport, TransportError } from '../../../foundation/transport.ts';

/** The content at an address. */
export interface FetchedAddress {
  /** Address after redirects. */
  readonly url: string;
  /** Lower case, with its parameters; empty when there was none. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface FetchOptions {
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
      if (response.status < 200 || response.status > 299) throw failure(`the address answered ${response.status}`);
      return { url, contentType: response.headers['content-type']?.toLowerCase() ?? '', bytes };
    }
    url = next.href;
  }
  throw failure('the address redirects too often');
}

const failure = (message: string): TransportError =>
  new TransportError(message, { phase: 'headers', requestSent: true });
