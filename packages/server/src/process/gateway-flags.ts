import { STORE_FLAGS, UsageError, type StoreFlags } from './flags.ts';

/** Which running gateway a command asks. */
export interface GatewayFlags extends StoreFlags {
  /** Its address, without a trailing slash, in place of that of the data directory. */
  readonly url: string | undefined;
}

/** Flags of every command that asks a running gateway. */
export const GATEWAY_FLAGS = { ...STORE_FLAGS, url: { type: 'string' } } as const;

/** The lines of help for them. */
export const GATEWAY_HELP = `  --data-dir DIR     the data directory of the gateway (./data)
  --config FILE      or the config file that names it
  --url URL          or the address of a gateway, with a management key in MODEL_GATEWAY_MANAGEMENT_KEY
`;

/** Reads those flags. Throws `UsageError`. */
export function readGatewayFlags(values: {
  readonly url?: string | undefined;
  readonly config?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}): GatewayFlags {
  const { url, config, 'data-dir': dataDir } = values;
  return { url: url === undefined ? undefined : readGatewayUrl(url), config, dataDir };
}

/** The address of a gateway, without a trailing slash, also where that of its API was given. Throws `UsageError`. */
export function readGatewayUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new UsageError(`--url must be the gateway’s address, e.g. http://127.0.0.1:8855, not "${text}".`);
  }
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname.replace(/(\/api(\/v1)?)?\/*$/, '')}`;
}
