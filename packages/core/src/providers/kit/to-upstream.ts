import type { Awaitable } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Transport } from '../../foundation/transport.ts';
import type { ReasoningEffort } from '../../wire/chat-request.ts';
import { secretsOfQuery } from '../../wire/fields.ts';
import { type DataPolicy, type Provider, UNKNOWN_DATA_POLICY } from '../provider.ts';
import { type ApiKey, createKeyMemory, type RequestSigner, withAskedKey, withSignature } from './asked-key.ts';

/** Options of a provider, whatever its wire. */
export interface ProviderOptions {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Name of the preset that these options come from. */
  readonly preset?: string | null | undefined;
  /** Includes the version segment: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** A function is asked before each request; where it fails, the call goes on at the next endpoint. */
  readonly apiKey?: ApiKey | undefined;
  /**
   * Asked for before each request for a token that is sent as `Authorization: Bearer` in place of a key: for identities
   * of a cloud. It keeps what it has fetched itself.
   */
  readonly accessToken?: (() => Awaitable<string>) | undefined;
  /** The cloud at whose addresses another company's wire is spoken; absent where the company itself is called. */
  readonly platform?: 'vertex' | undefined;
  /** Sent with every call, e.g. an organisation's id; replaces a header of the wire with the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
  /** Lines of batches go to the provider's own batch API. Default: where it is known to have one. */
  readonly batches?: boolean | undefined;
  /** What a call costs there, as a share of its price. Default: a half. */
  readonly batchPriceShare?: number | undefined;
}

/** Settings that every call of one provider uses. */
export interface Upstream {
  /** Display name. */
  readonly name: string;
  /** Address without a slash at the end. */
  readonly baseUrl: string;
  /** Sent with every call; holds the key, unless that is asked for. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of the headers above, and of the parameters of the address, that are secret, and keys asked for. */
  readonly credentials: readonly string[];
  /** Values that must never be shown, even if upstream repeats them: the credentials, and upstream's own host. */
  readonly secrets: readonly string[];
  /** Adds the key to requests where that is asked for. */
  readonly transport: Transport;
  /** Another transport to the same server, with the key where that is asked for. */
  readonly withKey: (transport: Transport) => Transport;
}

interface UpstreamAccess {
  /** The header that carries the key, in small letters. */
  readonly keyHeader: string;
  /** The word before the key. Default: none. */
  readonly keyScheme?: 'Bearer' | 'Key' | 'Token' | undefined;
  /** Parameters of every address, of which some may be credentials. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers that the wire itself requires. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Signs each request where there is neither a key nor a token. */
  readonly sign?: RequestSigner | undefined;
}

/** A shorter header is no secret, and blanking it out would garble every text. */
const MIN_SECRET_LENGTH = 4;

/** Computes the common parts of a provider's calls once. Throws `TypeError` without a transport. */
export function toUpstream(
  options: ProviderOptions,
  { keyHeader, keyScheme, headers, query, sign }: UpstreamAccess,
): Upstream {
  const { slug, name = slug, baseUrl, apiKey, accessToken, transport } = options;
  checkTransport(options, 'transport');
  const toKeyHeaders = (key: string): Record<string, string> => ({
    [keyHeader]: keyScheme === undefined ? key : `${keyScheme} ${key}`,
  });
  const values = [
    typeof apiKey === 'string' ? apiKey : '',
    ...Object.values(options.headers ?? {}).flatMap(partsOfHeader),
    ...secretsOfQuery(query),
  ];
  const credentials = [...new Set(values)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  const secrets = [...credentials, ...hostsOf(baseUrl)];
  let withKey = (other: Transport): Transport => other;
  const onKey = createKeyMemory(credentials, secrets);
  if (accessToken !== undefined) {
    withKey = (other) => withAskedKey(other, { name, ask: accessToken, toHeaders: toBearer, onKey });
  } else if (typeof apiKey === 'function') {
    withKey = (other) => withAskedKey(other, { name, ask: apiKey, toHeaders: toKeyHeaders, onKey });
  } else if (apiKey === undefined && sign !== undefined) {
    withKey = (other) => withSignature(other, { name, sign, onKey });
  }
  return {
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: {
      ...headers,
      ...options.headers,
      ...(typeof apiKey === 'string' && accessToken === undefined && toKeyHeaders(apiKey)),
    },
    credentials,
    secrets,
    transport: withKey(transport),
    withKey,
  };
}

const toBearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Throws `TypeError` where an option is no transport: plain JavaScript would learn of it by every call that fails. */
export function checkTransport<Name extends string>(
  { slug, ...options }: { readonly slug: string } & { readonly [Key in Name]: unknown },
  name: Name,
): void {
  const given = (options as Readonly<Record<string, unknown>>)[name] as Partial<Transport> | undefined;
  if (typeof given?.send === 'function') return;
  const advice =
    name === 'downloads'
      ? 'createGuardedTransport() from @model-gateway/node/guarded'
      : 'createUndiciTransport() from @model-gateway/node/undici, or createFetchTransport() from @model-gateway/core';
  throw new TypeError(`The provider "${slug}" needs a transport in \`${name}\`: pass ${advice}`);
}

/** The whole, which is hidden first, and what follows a scheme (`Bearer …`), which upstream may repeat alone. */
const partsOfHeader = (header: string): readonly string[] => [
  header,
  header.replace(/^(?:bearer|basic|token|key)\s+/i, ''),
];

/** The host with its port first; without it only where it is no common word. */
function hostsOf(baseUrl: string): readonly string[] {
  if (!URL.canParse(baseUrl)) return [];
  const { host, hostname } = new URL(baseUrl);
  return [host, hostname].filter((name, index, all) => /[.:]/.test(name) && all.indexOf(name) === index);
}

/** The public facts about a provider, from its options. */
export function describeProvider({
  slug,
  name = slug,
  preset,
  dataPolicy = UNKNOWN_DATA_POLICY,
  region,
  byok,
}: ProviderOptions): Pick<Provider, 'slug' | 'name' | 'preset' | 'dataPolicy' | 'region' | 'byok'> {
  return { slug, name, preset, dataPolicy, region, byok };
}

/** The content of a data URL. */
interface DataUrl {
  /** Lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Parses a data URL (RFC 2397); undefined when the text is none, or empty. Base64 is passed on unchecked: files are
 * large, and upstream checks every byte of them anyway.
 */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (!isDataUrl(url)) return undefined;
  const comma = url.indexOf(',');
  if (comma < 0 || comma === url.length - 1) return undefined;
  const [type = '', ...parameters] = url.slice('data:'.length, comma).toLowerCase().split(';');
  const mediaType = type.trim() || 'text/plain';
  const data = url.slice(comma + 1);
  if (parameters.some((parameter) => parameter.trim() === 'base64')) return { mediaType, base64: data };
  try {
    return { mediaType, base64: toBase64(encoder.encode(decodeURIComponent(data))) };
  } catch {
    return undefined;
  }
}

export const isDataUrl = (url: string): boolean => url.slice(0, 5).toLowerCase() === 'data:';

/** The text that a base64 string holds as UTF-8; undefined when it is no base64. */
export function decodeBase64Text(base64: string): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** An effort that is one. */
export type RealEffort = Exclude<ReasoningEffort, 'none'>;

/** Shares of the output limit for each effort (wire.md 6.6), lowest first. */
const SHARE_OF_EFFORT: Readonly<Record<RealEffort, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};
/** The smallest reasoning budget of a model. */
export const MIN_REASONING_TOKENS = 1024;
const MAX_REASONING_TOKENS = 128_000;

/** Brings tokens to reason with to a whole number within the limits. */
export const toReasoningBudget = (tokens: number): number =>
  Math.max(Math.min(Math.floor(tokens), MAX_REASONING_TOKENS), MIN_REASONING_TOKENS);

/** The reasoning tokens of an effort, for a limit on the whole completion. */
export const budgetOfEffort = (effort: RealEffort, maxTokens: number): number =>
  toReasoningBudget(maxTokens * SHARE_OF_EFFORT[effort]);

/** The lowest effort whose share covers a budget, for a limit on the whole completion; `xhigh` where none does. */
export function effortOfBudget(tokens: number, maxTokens: number): RealEffort {
  const share = tokens / maxTokens;
  return (['minimal', 'low', 'medium', 'high'] as const).find((effort) => share <= SHARE_OF_EFFORT[effort]) ?? 'xhigh';
}

/** A longer run without a space is no prose: a picture, a film, a signature. */
const LONGEST_WORD = 1024;
const BASE64 = /^[\w+/=-]+$/;
const DATA_URL = /^data:[^,]{0,200},/;

/** A body with its texts in the form that `show` gives them, and with the length of media instead of the media. */
export function toShownBody(body: unknown, show: (text: string) => string): unknown {
  if (typeof body === 'string') return toShownText(body, show);
  if (Array.isArray(body)) return body.map((item) => toShownBody(item, show));
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [show(key), toShownBody(value, show)]));
}

function toShownText(text: string, show: (text: string) => string): string {
  const prefix = DATA_URL.exec(text)?.[0] ?? '';
  const data = text.slice(prefix.length);
  if (prefix !== '' || (data.length > LONGEST_WORD && BASE64.test(data))) return `${prefix}[${data.length} characters]`;
  return show(text);
}

/** A text without any of `secrets`. */
export const hideValues = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[redacted]')), text);

/**
 * Converts a caller's `user` to the form that upstream receives: the same for the same user, without identifying the
 * person. Anthropic and OpenAI ask for exactly that; wire.md 6.1 forbids the name itself.
 */
export async function toOpaqueUserId(providerSlug: string, user: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(`${providerSlug}\n${user}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Requires a JSON object in words, where the wire cannot bind the completion to it. */
export const JSON_OBJECT_INSTRUCTION = 'Answer with one JSON object and nothing else: no explanation, no code fence.';

/** Requires JSON that is valid against a JSON Schema, in words. */
export const toSchemaInstruction = (schema: object): string =>
  'Answer with one JSON document and nothing else: no explanation, no code fence. ' +
  `It must be valid against this JSON Schema:\n${JSON.stringify(schema)}`;

/** What would end a path, leave it, or be read differently by servers on its way. */
const UNFIT = /\.\.|%2e|%2f|%5c|[?#\\\p{Cc}]/iu;

/**
 * What is wrong with a provider's name of a model where the wire makes it a part of the address; undefined when it is
 * fit. An address with `..` in it would lead to another operation of the same server, with the same key.
 */
export function findModelPathProblem(providerModel: string): string | undefined {
  const isUnfit = UNFIT.test(providerModel) || providerModel.split('/').some((part) => part === '' || part === '.');
  if (!isUnfit) return undefined;
  return 'is part of the address of calls to this provider: it cannot contain "..", "?", "#" or empty parts';
}

/** A provider's name of a model as one segment of a path. Throws `invalid_request` for a name that is none. */
export function toModelSegment(providerModel: string): string {
  refuseUnfit(providerModel);
  return encodeURIComponent(providerModel);
}

/** The same for a name whose slashes are those of the path. */
export function toModelSegments(providerModel: string): string {
  refuseUnfit(providerModel);
  return providerModel.split('/').map(encodeURIComponent).join('/');
}

function refuseUnfit(providerModel: string): void {
  const problem = findModelPathProblem(providerModel);
  if (problem === undefined) return;
  throw new GatewayError('invalid_request', `The name of the model at its provider ${problem}`);
}
