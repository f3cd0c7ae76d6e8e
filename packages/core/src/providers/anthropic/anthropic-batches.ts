import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import type { BatchResponse } from '../batch-contract.ts';
import { type BatchSettings, createBatchCalls, createBatchLines, requireId } from '../kit/batch-calls.ts';
import type { ChatWire } from '../kit/create-chat-wire.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import type { BatchApi } from '../provider.ts';
import { readAnthropicError } from './read-anthropic-error.ts';

/** Anthropic takes 100,000 requests and 256 MB. Smaller ones are in memory on their way, and results come sooner. */
const MAX_REQUESTS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Creates Anthropic's batch API: `POST /messages/batches`, and its results as lines. It stores no name of a batch, so
 * that one cannot be found again by it.
 */
export function createAnthropicBatches(upstream: Upstream, wire: ChatWire, settings: BatchSettings): BatchApi {
  const { json, lines } = createBatchCalls(upstream, wire);
  const { name, baseUrl } = upstream;
  const urlOf = (id: string): string => `${baseUrl}/messages/batches/${encodeURIComponent(id)}`;
  return {
    ...createBatchLines(upstream, () => wire, settings),
    maxRequests: MAX_REQUESTS,
    maxBytes: MAX_BYTES,
    async submit({ marker, requests, ...limits }) {
      const parts = requests.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`);
      const batch = await json(
        {
          method: 'POST',
          url: `${baseUrl}/messages/batches`,
          headers: { 'content-type': 'application/json', 'idempotency-key': marker },
          body: `{"requests":[${parts.join(',')}]}`,
        },
        limits,
      );
      return requireId(batch['id'], name);
    },
    async poll({ upstreamId, ...limits }) {
      const batch = await json({ method: 'GET', url: urlOf(upstreamId), headers: {} }, limits);
      return batch['processing_status'] === 'ended' ? 'ended' : 'running';
    },
    async *read(call) {
      for await (const line of lines(`${urlOf(call.upstreamId)}/results`, call)) yield toResponse(line);
    },
    async cancel({ upstreamId, ...limits }) {
      await json({ method: 'POST', url: `${urlOf(upstreamId)}/cancel`, headers: {}, body: '' }, limits);
    },
    async discard({ upstreamId, ...limits }) {
      await json({ method: 'DELETE', url: urlOf(upstreamId), headers: {} }, limits);
    },
  };
}

function toResponse({ custom_id: id, result }: Unchecked): BatchResponse {
  const { type, message, error } = isRecord(result) ? result : {};
  if (type === 'succeeded') return { id: String(id), response: { status: 200, body: JSON.stringify(message) } };
  if (type !== 'errored') return { id: String(id), response: null };
  // The error has the form of a whole response, whose status its type tells.
  const inner = isRecord(error) && isRecord(error['error']) ? error['error'] : error;
  const status = readAnthropicError(inner, null).status ?? 500;
  return { id: String(id), response: { status, body: JSON.stringify({ type: 'error', error: inner }) } };
}
