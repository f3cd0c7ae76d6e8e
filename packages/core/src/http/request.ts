import type { Awaitable } from '../foundation/awaitable.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';

/** Header names are lower-case; a header sent more than once is a list. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One HTTP request, in the plain form that the core uses. Hosts build it; it holds no object of a framework. */
export interface GatewayRequest {
  /** Names the request in `x-request-id` and in the log. Set by the gateway where the host has not set it. */
  id?: string | undefined;
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
  /** Names and values by turns, as they came: which header was sent twice is seen here alone. */
  readonly rawHeaders?: readonly string[] | undefined;
  readonly remoteAddress?: string | undefined;
  /** The other side of the connection itself, whatever forwarded headers say of the client: that of a proxy. */
  readonly peerAddress?: string | undefined;
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

const SANE_REQUEST_ID = /^[\w.-]{1,128}$/;

/** Tells the ids of this process from those of others; empty until the first is made. */
let processPrefix = '';
let requestsNamed = 0;

/**
 * The id of a request: the `x-request-id` of its caller, where that has 1 to 128 letters, digits, `.`, `_` and `-`, or a
 * new one. Ids are counted and can be guessed: they are names, and give access to nothing.
 */
export function requestIdOf({ headers }: Pick<GatewayRequest, 'headers'>, platform: RandomBytes): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && SANE_REQUEST_ID.test(given)) return given;
  if (processPrefix === '') processPrefix = `req-${createRandomId(platform).slice(0, 12)}-`;
  requestsNamed += 1;
  return processPrefix + requestsNamed;
}

type RandomBytes = Pick<Platform, 'randomBytes'>;

/** Whether the address of a client is one of this machine. */
export function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

/** What a browser writes for this machine, whatever name servers say. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a caller on this machine has asked for this machine. A page whose own name leads here (DNS rebinding) sends
 * requests from a browser on this machine, and a proxy here may send those of others; both ask for another host.
 */
export function isFromThisMachine({
  remoteAddress,
  headers,
}: Pick<GatewayRequest, 'remoteAddress' | 'headers'>): boolean {
  if (!isLoopbackAddress(remoteAddress)) return false;
  return LOOPBACK_HOST.test(firstValue(headers['host']) ?? '');
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
  /** Who has signed in as themselves, which limits what they may do and see; absent for keys and for the operator. */
  readonly member?: SignedInMember | undefined;
  /** The user whom the key was made for: the `external_user` of calls that name none. */
  readonly externalUser?: string | undefined;
  /** Slugs of the only models that the caller may use; an empty list allows none, absent all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** The guardrail that holds for the caller as one that is assigned to a key does; calls are refused once it is gone. */
  readonly guardrailId?: string | undefined;
}

/** What a member who has signed in may do; `userId` of the principal says who it is. */
export interface SignedInMember {
  readonly role: OrganizationRole;
  /** Roles by the id of the workspace, in those that they belong to. */
  readonly workspaces: ReadonlyMap<string, WorkspaceRole>;
}

export type OrganizationRole = 'owner' | 'administrator' | 'billing' | 'developer' | 'viewer';
export type WorkspaceRole = 'administrator' | 'member' | 'viewer';

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
