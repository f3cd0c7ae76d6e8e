import { STORE_FLAGS, type StoreFlags, UsageError } from '../process/flags.ts';
import { StartError } from '../process/start-error.ts';

/** Which gateway has stored the calls that fixtures are made of, and with which key it is asked. */
export interface GatewayOfCalls extends Partial<StoreFlags> {
  /** Base URL of its API. Undefined: the gateway that runs with the data directory is asked. */
  readonly api?: string | undefined;
  /** Undefined: the one that a running gateway leaves for commands of its user. */
  readonly key?: string | undefined;
}

/** Flags of every command that makes fixtures of calls. */
export const CALLS_FLAGS = { ...STORE_FLAGS, api: { type: 'string' }, key: { type: 'string' } } as const;

/** Asked with a key that was given, where no gateway is found here. */
const USUAL_API = 'http://127.0.0.1:8855/api/v1';

/**
 * Reads those flags. `usualKey` is used where neither a key nor a data directory is named, unless it is empty. Throws
 * `UsageError`.
 */
export function readGatewayOfCalls(
  values: {
    readonly api?: string | undefined;
    readonly key?: string | undefined;
    readonly config?: string | undefined;
    readonly 'data-dir'?: string | undefined;
  },
  usualKey?: string,
): GatewayOfCalls {
  const { api, config, 'data-dir': dataDir } = values;
  const isNamed = config !== undefined || dataDir !== undefined;
  if (isNamed && api !== undefined) {
    throw new UsageError('--api names a gateway, and so do --data-dir and --config: omit one.');
  }
  const key = values.key ?? (isNamed || usualKey === '' ? undefined : usualKey);
  if (api === undefined) return { key, config, dataDir };
  // The key of a data directory is for its own gateway, and must not be sent anywhere else.
  if (key === undefined) throw new UsageError('Missing --key: --api needs a key of that gateway.');
  return { key, api: api.replace(/\/+$/, '') };
}

/** The address and the key. Rejects with `StartError` or `UsageError` where no gateway runs. */
export async function findGatewayOfCalls({ api, key, config, dataDir }: GatewayOfCalls): Promise<{
  readonly api: string;
  readonly key: string;
}> {
  if (api !== undefined && key !== undefined) return { api, key };
  const { findGateway } = await import('../terminal/find-gateway.ts');
  try {
    const { url, token } = await findGateway({ url: undefined, config, dataDir });
    return { api: `${url}/api/v1`, key: key ?? token };
  } catch (error) {
    const isNamed = config !== undefined || dataDir !== undefined;
    if (error instanceof StartError && key !== undefined && !isNamed) return { api: USUAL_API, key };
    if (!(error instanceof UsageError)) throw error;
    // Those are told of --url, which these commands do not have.
    throw new UsageError(error.message.replace(/with --url\.$/, 'with --api, and a key of it with --key.'));
  }
}
