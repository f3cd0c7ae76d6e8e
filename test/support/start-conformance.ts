import { type CheckedFetch, createCheckedFetch } from './checked-fetch.ts';
import { type HostKind, startHost } from './hosts.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { createTestGateway, type TestGateway } from './test-gateway.ts';

export interface Conformance extends Pick<TestGateway, 'store' | 'nextRecord'>, CheckedFetch {
  /** What a client's base URL is set to. */
  readonly apiUrl: string;
  readonly upstream: ScriptedUpstream;
  close(): Promise<void>;
}

/** Starts what a client is held against: a scripted upstream, a gateway over it, and a host that serves the gateway. */
export async function startConformance(kind: HostKind): Promise<Conformance> {
  const upstream = await startScriptedUpstream();
  const { gateway, store, nextRecord, close } = createTestGateway(upstream);
  const host = await startHost(kind, gateway);
  return {
    ...createCheckedFetch(),
    apiUrl: host.apiUrl,
    upstream,
    store,
    nextRecord,
    async close() {
      await close();
      await host.close();
      await upstream.close();
    },
  };
}
