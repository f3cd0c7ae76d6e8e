import { toScriptedConfig } from '../../support/gateways/scripted-config.ts';
import type { ScriptedUpstream } from '../../support/upstreams/scripted-upstream.ts';

export interface EngineAddresses {
  readonly database: string;
  readonly redis: string;
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
    shared: { type: 'redis', url: redis },
    timeouts: { drainMs: 1000 },
    ...more,
  };
}
