import { onTestFinished } from 'vitest';

import { toScriptedConfig } from '../../support/gateways/scripted-config.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';
import { openDatabase, redisUrl } from './engines.ts';

export interface EngineAddresses {
  readonly database: string;
  /** Without it the instances share nothing but the database. */
  readonly redis?: string;
}

/** A scripted upstream that ends with the test. */
export async function openUpstream(): Promise<ScriptedUpstream> {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

/** The configuration of an instance on these engines: the scripted upstream, its models, the keys. */
export function toClusterConfig(
  upstream: Pick<ScriptedUpstream, 'baseUrl'>,
  { database, redis }: EngineAddresses,
  more: object = {},
): object {
  return {
    ...toScriptedConfig(upstream),
    server: { host: '127.0.0.1' },
    store: { type: 'postgres', url: database },
    ...(redis !== undefined && { shared: { type: 'redis', url: redis } }),
    timeouts: { drainMs: 1000 },
    ...more,
  };
}

export interface ClusterSetup {
  readonly upstream: ScriptedUpstream;
  readonly database: string;
  readonly config: object;
}

/** An upstream, a database without data, and the configuration of instances on these and the Redis that all tests share. */
export async function openClusterConfig(more: object = {}): Promise<ClusterSetup> {
  const [upstream, database] = await Promise.all([openUpstream(), openDatabase()]);
  return { upstream, database, config: toClusterConfig(upstream, { database, redis: redisUrl() }, more) };
}
