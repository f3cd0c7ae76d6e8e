import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
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

/** A body below this size is parsed in a moment, however many values it holds. */
const SCAN_ABOVE_BYTES = 16 * 1024;

/**
 * Throws, or rejects with, `unsupported_media_type` for a body declared as another type, and `invalid_request` for
 * broken UTF-8 or JSON, or too many levels or values. Keys named `__proto__` are dropped at every depth. `read` reads
 * the bytes where they are not to be read whole.
 */
export function readJsonBody(
  request: GatewayRequest,
  read: () => Promise<Uint8Array> = () => request.readBody(),
): Awaitable<unknown> {
  if (request.json !== undefined) return toInertJson(request.json);
  refuseOtherTypes(request);
  return read().then(parseBody);
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw refuseBody('The body is empty; send a JSON object');
  if (bytes.byteLength > SCAN_ABOVE_BYTES) refuseUnreasonableBytes(bytes);
  return toInertJson(parseJson(decodeUtf8(bytes)));
}

function refuseOtherTypes({ headers }: GatewayRequest): void {
  const encoding = firstValue(headers['content-encoding']);
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 40)}" is not accepted; send the body uncompressed`,
    );
  }
  const type = firstValue(headers['content-type']);
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type "${type.slice(0, 80)}" is not accepted; send application/json`,
    );
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw refuseBody('The body is not valid UTF-8', cause);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuseBody(`The body is not valid JSON${cause instanceof SyntaxError ? placeOf(cause) : ''}`, cause);
  }
}

/** What V8 says of the place, all but the part of the body that it quotes: that may be secret, and this is kept. */
function placeOf({ message }: SyntaxError): string {
  // What it quotes may contain the same words, and never ends the message.
  const [, place] = / JSON at (position \d+(?: \(line \d+ column \d+\))?)$/.exec(message) ?? [];
  if (place !== undefined) return ` at ${place}`;
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  const [, token] = /^Unexpected token '(.)'/u.exec(message) ?? [];
  return token === undefined ? '' : `: '${token}' is not expected there`;
}

const MAX_DEPTH = 64;
/** The most items in one list or object. No conversation has as many messages, no tool as many parameters. */
const MAX_ITEMS = 10_000;
/** The most values in a whole body: a thousand messages with their tool calls are some twenty thousand values. */
const MAX_VALUES = 100_000;

const TOO_DEEP = `The body is nested more than ${MAX_DEPTH} levels deep`;
const TOO_MANY = `The body has a list or object of more than ${MAX_ITEMS} items`;
const TOO_MUCH = `The body has more than ${MAX_VALUES} values`;

const refusal = (reason: string, position?: number): GatewayError =>
  refuseBody(position === undefined ? reason : `${reason}, at position ${position}`);

const refuseBody = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('invalid_request', message, { cause, metadata: { issues: [{ path: 'body', message }] } });

/**
 * Throws `invalid_request` for bytes that are nested too deep or hold too many values: a million brackets, keys or
 * messages take seconds to parse. Does not check whether the bytes are valid JSON.
 */
function refuseUnreasonableBytes(bytes: Uint8Array): void {
  // The number of commas directly inside each of the open lists and objects.
  const commas = new Uint32Array(MAX_DEPTH + 1);
  let values = 0;
  let depth = 0;
  // Multi-byte characters never contain the bytes that are compared here.
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === 0x22) i = findEndOfText(bytes, i + 1);
    else if (byte === 0x2c) {
      const before = commas[depth] ?? 0;
      if (before + 1 >= MAX_ITEMS) throw refusal(TOO_MANY, i);
      commas[depth] = before + 1;
      values += 1;
      if (values >= MAX_VALUES) throw refusal(TOO_MUCH, i);
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw refusal(TOO_DEEP, i);
      commas[depth] = 0;
    } else if ((byte === 0x5d || byte === 0x7d) && depth > 0) depth -= 1;
  }
}

/**
 * The first bytes of a text are compared one by one and only the rest is searched: starting a search takes as long as
 * comparing this many bytes.
 */
const STEP_BYTES = 64;

/** The position of the closing quotation mark, or the end of the bytes. An image is a text of megabytes. */
function findEndOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length;) {
    for (const stop = at + STEP_BYTES; at < stop; at += 1) {
      if (bytes[at] === 0x22) return at;
      if (bytes[at] === 0x5c) at += 1;
    }
    const end = bytes.indexOf(0x22, at);
    if (end === -1) break;
    // A quotation mark after an odd number of backslashes belongs to the text.
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    at = end + 1;
  }
  return bytes.length;
}

/**
 * Walks a parsed tree and removes keys that could reach a prototype in later code. Throws `invalid_request` for a value
 * that is nested too deep or has too many items in one place.
 */
function toInertJson<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw refusal(TOO_DEEP);
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) throw refusal(TOO_MANY);
    for (const item of value) toInertJson(item, depth + 1);
    return value;
  }
  let members = 0;
  for (const key in value) {
    members += 1;
    if (members > MAX_ITEMS) throw refusal(TOO_MANY);
    if (key === '__proto__') delete value[key];
    else toInertJson(value[key], depth + 1);
  }
  return value;
}
