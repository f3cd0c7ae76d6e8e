import type { Awaitable } from '../foundation/awaitable.ts';

/** Header names are lower-case; a header sent more than once is a list. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One HTTP request, in the plain form that the core uses. Hosts build it; it holds no object of a framework. */
export interface GatewayRequest {
  readonly method: string;
  /** The raw, undecoded path, relative to the mount: `/api/v1/models`. Never contains the query. */
  readonly path: string;
  /** The query without the leading `?`. */
  readonly query: string;
  readonly headers: HeaderMap;
  /**
   * Resolves with the whole body. Rejects with `payload_too_large` above `limitBytes`, by default the host's own limit.
   * Either this or `openBody` is called, and at most once.
   */
  readBody(limitBytes?: number): Promise<Uint8Array>;
  /**
   * Returns the body piece by piece, read from the client only as fast as the pieces are taken. Throws the errors that
   * `readBody` rejects with, `payload_too_large` as soon as the limit is passed.
   */
  openBody(limitBytes?: number): AsyncIterable<Uint8Array>;
  /** The body as the host has already parsed it, where it has (`express.json()`); `readBody` is then not called. */
  readonly json?: unknown;
  /** Fires when the client has disconnected. */
  readonly signal: AbortSignal;
  /**
   * Makes `signal` fire with this reason. A host that provides it fires its signal with a `client_closed_request`
   * error, and a call then needs no signal of its own.
   */
  readonly abort?: ((reason: Error) => void) | undefined;
  /**
   * Keeps the host going until this work is done, where it ends with its response: the recording of a call that its
   * client has left, and what follows a recording.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** The public address of the mount, without a trailing slash: `https://host/ai`. */
  readonly baseUrl: string;
  readonly remoteAddress?: string | undefined;
  /** The caller, where the host knows it already; the key in the headers is then ignored. */
  readonly principal?: Principal | undefined;
  /**
   * The host's own sign-in, asked in place of keys where an operation needs a caller, and again while a long response
   * lasts. What it throws becomes the response: a 500, which is logged, unless it is a `GatewayError`.
   */
  readonly authenticate?: (() => Awaitable<Principal | null>) | undefined;
}

/** The path of the mount, with which every link in a response begins: `/ai`; empty at the root. */
export const mountPathOf = ({ baseUrl }: Pick<GatewayRequest, 'baseUrl'>): string =>
  baseUrl.replace(/^[a-z]+:\/\/[^/]*/i, '');

/**
 * The first value of a header, passed as `headers['name']`; undefined for none. The name is no parameter, because one
 * that differs from call to call at one place in the code makes the look-up several times as slow.
 */
export function firstValue(value: HeaderMap[string]): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** Whether the address of a client is one of this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

/**
 * A host's own sign-in, which takes the place of the gateway's keys: returns the caller of a request of the host, or
 * null, which leads to a 401. Throw a `GatewayError` to refuse for another reason; anything else that it throws is a
 * failure of the host.
 */
export type Authenticate<HostRequest> = (request: HostRequest) => Awaitable<Principal | null>;

/**
 * The caller. An `api` principal may use models and read what it made; a `management` principal administers and may
 * read everything, but cannot call models.
 */
export interface Principal {
  readonly kind: 'api' | 'management';
  /** The key's SHA-256 in hex, or any stable id by which the embedder's own authentication knows the caller. */
  readonly id: string;
  readonly name: string;
  /** The member that the key belongs to, where there is one. */
  readonly userId?: string | undefined;
  /** The workspace that the key belongs to; absent means the default one. */
  readonly workspaceId?: string | undefined;
  /** Spending limit of the key in USD; absent or null means none. */
  readonly limitUsd?: number | null | undefined;
  /** How often the count for the limit starts again; absent or null means never. */
  readonly limitReset?: 'daily' | 'weekly' | 'monthly' | null | undefined;
  /** Whether calls that the caller pays to the provider count too. */
  readonly includeByokInLimit?: boolean | undefined;
  /** The user whom the key was made for: the `external_user` of calls that name none. */
  readonly externalUser?: string | undefined;
}

/** One request on its way through an operation that needs no key: the caller is not authenticated. */
export interface PublicContext<Parts> {
  readonly request: GatewayRequest;
  /** The parts of the gateway that the operation uses. */
  readonly parts: Parts;
  /** The variable parts of the path, decoded, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Headers of the response, for success and failure; operations add to them. */
  readonly responseHeaders: Record<string, string>;
}

export interface RequestContext<Parts> extends PublicContext<Parts> {
  readonly principal: Principal;
}
