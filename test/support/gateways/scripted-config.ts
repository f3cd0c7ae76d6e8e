import type { ScriptedUpstream } from '../upstreams/scripted-upstream.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY, TEST_MODELS, UPSTREAM_KEY } from './test-gateway.ts';

/** A configuration file like what `createTestGateway` is given: the scripted upstream, its models, the keys. */
export function toScriptedConfig({ baseUrl }: Pick<ScriptedUpstream, 'baseUrl'>): object {
  return {
    auth: {
      bootstrapKeys: [
        { key: TEST_KEY, kind: 'api', name: 'test' },
        { key: TEST_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
      ],
    },
    providers: [{ slug: 'scripted', name: 'Scripted', wire: 'openai', baseUrl, apiKey: UPSTREAM_KEY }],
    models: TEST_MODELS,
  };
}
