import type { GenerationRecord } from '@model-gateway/core';

import { createTestGateway, type TestGateway } from '../gateways/test-gateway.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../upstreams/scripted-upstream.ts';
import { type CheckedFetch, createCheckedFetch } from './checked-fetch.ts';
import { type HostKind, startHost } from './hosts.ts';

export interface Conformance extends CheckedFetch {
  /** Base URL for a client. */
  readonly apiUrl: string;
  readonly upstream: ScriptedUpstream;
  /** Resolves with the next generation that is recorded. */
  nextRecord(): Promise<Pick<GenerationRecord, 'generation'>>;
  close(): Promise<void>;
}

/** In this process, where its store can be looked into. */
export interface LocalConformance extends Conformance, Pick<TestGateway, 'store'> {}

/** The same wherever clients may find the gateway. */
export async function openConformance(kind: HostKind | 'desktop'): Promise<Conformance> {
  if (kind !== 'desktop') return startConformance(kind);
  const { joinDesktop } = await import('./desktop-conformance.ts');
  return joinDesktop();
}

/** Starts what a client is held against: a scripted upstream, a gateway over it, and a host that serves the gateway. */
export async function startConformance(kind: HostKind): Promise<LocalConformance> {
  const upstream = await startScriptedUpstream();
  const { gateway, store, nextRecord, close } = createTestGateway(upstream);
  const host = await startHost(kind, gateway, { expose: ['ollama', 'gemini'] });
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
