import { type Awaitable, raceAbort } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Transport, TransportRequest } from '../../foundation/transport.ts';

/**
 * The key of a provider, or a function that is asked for it before each request: for secrets that rotate, and tokens
 * that expire. It keeps what it has fetched itself; nothing is kept for it.
 */
export type ApiKey = string | (() => Awaitable<string>);

/**
 * Makes the headers by which a request is known to be the gateway's, such as a signature over it. `hide` takes each secret
 * before it is used.
 */
export type RequestSigner = (
  request: TransportRequest,
  hide: (secret: string) => void,
) => Promise<Readonly<Record<string, string>>>;

interface AskedSignature {
  /** Display name of the provider. */
  readonly name: string;
  readonly sign: RequestSigner;
  /** Called with each secret before it is used. */
  readonly onKey: (key: string) => void;
}

/**
 * A transport that signs each request. Where that fails it sends nothing and rejects with `provider_unavailable`, which
 * says so to the caller and has the reason as its cause, for the log alone.
 */
export function withSignature(transport: Transport, { name, sign, onKey }: AskedSignature): Transport {
  return withHeaders(transport, async (request) => {
    try {
      return await sign(request, onKey);
    } catch (cause) {
      const message = `${name} was not asked, because the gateway got no credentials for it; the operator must check where they come from`;
      throw new GatewayError('provider_unavailable', message, { cause, metadata: { provider_name: name } });
    }
  });
}

interface AskedKey {
  /** Display name of the provider. */
  readonly name: string;
  readonly ask: () => Awaitable<string>;
  readonly toHeaders: (key: string) => Readonly<Record<string, string>>;
  /** Called with each key before it is sent. */
  readonly onKey: (key: string) => void;
}

/**
 * A transport that asks for the key of each request. Without one it sends nothing and rejects with
 * `provider_unavailable`, which says so to the caller and has the reason as its cause, for the log alone.
 */
export function withAskedKey(transport: Transport, { name, ask, toHeaders, onKey }: AskedKey): Transport {
  const refuse = (cause: unknown): never => {
    const message = `${name} was not asked, because the gateway got no key for it; the operator must check where its key comes from`;
    throw new GatewayError('provider_unavailable', message, { cause, metadata: { provider_name: name } });
  };
  const toKey = (given: unknown): string => {
    if (typeof given !== 'string') return refuse(new TypeError('the function `apiKey` returned no string'));
    // A value read from a file often ends in a line break.
    const key = given.trim();
    if (!FIT_FOR_HEADER.test(key)) return refuse(new TypeError('the function `apiKey` returned no key'));
    onKey(key);
    return key;
  };
  return withHeaders(transport, async () => {
    let given: unknown;
    try {
      given = await ask();
    } catch (error) {
      return refuse(error);
    }
    return toHeaders(toKey(given));
  });
}

/** A transport that adds headers to each request, which take time to make. */
function withHeaders(
  transport: Transport,
  toHeaders: (request: TransportRequest) => Promise<Readonly<Record<string, string>>>,
): Transport {
  const toSigned = async (request: TransportRequest): Promise<TransportRequest> => {
    request.signal.throwIfAborted();
    return { ...request, headers: { ...request.headers, ...(await toHeaders(request)) } };
  };
  // A function that hangs does not hold up a call that has ended.
  const sign = (request: TransportRequest): Promise<TransportRequest> => raceAbort(toSigned(request), request.signal);
  const { sendWhole } = transport;
  return {
    send: async (request) => transport.send(await sign(request)),
    ...(sendWhole !== undefined && {
      sendWhole: async (request: TransportRequest) => sendWhole.call(transport, await sign(request)),
    }),
  };
}

/** Visible characters of ASCII, as keys have. */
const FIT_FOR_HEADER = /^[\x21-\x7e]+$/;

/** A key that has just been replaced may still come back in an error. */
const MAX_REMEMBERED = 8;

/** Notes a value in lists that are read when something is to be hidden, in place of the oldest that was noted. */
export function createKeyMemory(...lists: readonly string[][]): (key: string) => void {
  const noted: string[] = [];
  return (key) => {
    if (noted.includes(key)) return;
    noted.push(key);
    const oldest = noted.length > MAX_REMEMBERED ? noted.shift() : undefined;
    for (const list of lists) {
      if (oldest !== undefined) list.splice(list.indexOf(oldest), 1);
      list.unshift(key);
    }
  };
}
