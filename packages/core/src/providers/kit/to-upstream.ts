import type { Transport } from '../../foundation/transport.ts';
import { secretsOfQuery } from '../../wire/fields.ts';
import { type DataPolicy, type Provider, UNKNOWN_DATA_POLICY } from '../provider.ts';

/** Options of a provider, whatever its wire. */
export interface ProviderOptions {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Name of the preset that these options come from. */
  readonly preset?: string | null | undefined;
  /** Includes the version segment: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every call, e.g. an organisation's id; replaces a header of the wire with the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
}

/** Settings that every call of one provider uses. */
export interface Upstream {
  /** Display name. */
  readonly name: string;
  /** Address without a slash at the end. */
  readonly baseUrl: string;
  /** Sent with every call; holds the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The values of the headers above, and of the parameters of the address, that are secret. */
  readonly credentials: readonly string[];
  /** Values that must never be shown, even if upstream repeats them: the credentials, and upstream's own host. */
  readonly secrets: readonly string[];
  readonly transport: Transport;
}

export interface UpstreamAccess {
  /** The header that carries the key, in small letters. */
  readonly keyHeader: string;
  /** The word before the key. Default: none. */
  readonly keyScheme?: 'Bearer' | 'Key' | undefined;
  /** Parameters of every address, of which some may be credentials. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Headers that the wire itself requires. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A shorter header is no secret, and blanking it out would garble every text. */
const MIN_SECRET_LENGTH = 4;

/** Computes the common parts of a provider's calls once. Throws `TypeError` without a transport. */
export function toUpstream(
  options: ProviderOptions,
  { keyHeader, keyScheme, headers, query }: UpstreamAccess,
): Upstream {
  const { slug, name = slug, baseUrl, apiKey, transport } = options;
  checkTransport(options, 'transport');
  const values = [
    apiKey ?? '',
    ...Object.values(options.headers ?? {}).flatMap(partsOfHeader),
    ...secretsOfQuery(query),
  ];
  const credentials = [...new Set(values)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  return {
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: {
      ...headers,
      ...options.headers,
      ...(apiKey !== undefined && { [keyHeader]: keyScheme === undefined ? apiKey : `${keyScheme} ${apiKey}` }),
    },
    credentials,
    secrets: [...credentials, ...hostsOf(baseUrl)],
    transport,
  };
}

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
      : 'createUndiciTransport() from @model-gateway/node/undici, or createFetchTransport({ platform }) from @model-gateway/core';
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
