import type { Gateway, GatewayResponse, GenerationRecord, VideoJob } from '@model-gateway/core';

import type { Notice } from '../shared/gateway-messages.ts';
import { OWNER } from './handle-requests.ts';

/** Finds what a user who looks elsewhere may want to know. */
export interface NoticeFinder {
  /** Must be called with every response to a client. */
  noteResponse(response: GatewayResponse): void;
  /** Must be called with every call that has been recorded. */
  noteGeneration(record: GenerationRecord): void;
  noteVideo(job: Pick<VideoJob, 'id' | 'status' | 'modelId'>): void;
}

export interface NoticeFinderOptions {
  readonly gateway: Pick<Gateway, 'handle'>;
  readonly tell: (notice: Notice) => void;
  /** Runs a task a moment later. */
  readonly later: (task: () => void) => void;
}

export function createNoticeFinder({ gateway, tell, later }: NoticeFinderOptions): NoticeFinder {
  const down = new Map<string, string>();
  let isDue = false;

  const lookAtProviders = async (): Promise<void> => {
    const states = await listProviderStates(gateway);
    for (const { slug, name, health } of states) {
      const isDown = health.status === 'down';
      if (isDown === down.has(slug)) continue;
      if (isDown) down.set(slug, name);
      else down.delete(slug);
      tell({ type: 'provider', slug, name, isDown });
    }
  };
  return {
    noteResponse(response) {
      if (isRefusedByBudget(response)) tell({ type: 'budget' });
    },
    noteGeneration({ generation: { provider_responses: responses } }) {
      // While all is well, nothing is looked at.
      const hasFailed = responses?.some(({ status }) => status !== 200) === true;
      if (isDue || !(hasFailed || down.size > 0)) return;
      isDue = true;
      later(() => {
        isDue = false;
        // The gateway may be closing; then there is no one to tell.
        lookAtProviders().catch(() => undefined);
      });
    },
    noteVideo({ id, status, modelId }) {
      if (status === 'completed') tell({ type: 'video', jobId: id, model: modelId, isDone: true });
      if (status === 'failed' || status === 'expired')
        tell({ type: 'video', jobId: id, model: modelId, isDone: false });
    },
  };
}

/** A refusal for want of money names the limit and what the call may cost. */
function isRefusedByBudget({ status, body }: GatewayResponse): boolean {
  if ((status !== 402 && status !== 403) || typeof body !== 'string') return false;
  const { error } = JSON.parse(body) as { error?: { metadata?: Readonly<Record<string, unknown>> } };
  return error?.metadata?.['limit_usd'] !== undefined && error.metadata['required_usd'] !== undefined;
}

interface ProviderState {
  readonly slug: string;
  readonly name: string;
  readonly health: { readonly status: string };
}

async function listProviderStates(gateway: Pick<Gateway, 'handle'>): Promise<readonly ProviderState[]> {
  const { status, body } = await gateway.handle({
    method: 'GET',
    path: '/admin/v1/providers',
    query: '',
    headers: {},
    readBody: () => Promise.resolve(new Uint8Array()),
    async *openBody() {
      // There is none.
    },
    signal: new AbortController().signal,
    baseUrl: 'app://gateway',
    principal: OWNER,
  });
  if (status !== 200 || typeof body !== 'string') return [];
  return (JSON.parse(body) as { data: readonly ProviderState[] }).data;
}
