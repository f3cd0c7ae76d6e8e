import { isRecord, objectsOf, type Unchecked } from '../../foundation/parse.ts';
import type { BatchCall, BatchResponse, BatchState } from '../batch-contract.ts';
import { type BatchSettings, createBatchCalls, createBatchLines, requireId, textOf } from '../kit/batch-calls.ts';
import type { ChatWire } from '../kit/create-chat-wire.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import type { BatchApi } from '../provider.ts';
import { toModelPath } from './models.ts';

/** Google takes 20 MB of requests that are sent with the batch, and gives the responses back in it. */
const MAX_REQUESTS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** States are `BATCH_STATE_…` there, and were `JOB_STATE_…`. */
const STATES: Readonly<Record<string, BatchState>> = {
  SUCCEEDED: 'ended',
  CANCELLED: 'ended',
  EXPIRED: 'ended',
  FAILED: 'failed',
};

/** The batches that are listed to find one again. */
const SEARCHED = 100;

/** Creates Gemini's batch API: `:batchGenerateContent`, an operation that is asked until it is done. */
export function createGoogleBatches(upstream: Upstream, wire: ChatWire, settings: BatchSettings): BatchApi {
  const { json } = createBatchCalls(upstream, wire);
  const { name, baseUrl } = upstream;
  const jsonType = { 'content-type': 'application/json' };
  const get = ({ upstreamId, ...limits }: BatchCall): Promise<Unchecked> =>
    json({ method: 'GET', url: `${baseUrl}/${upstreamId}`, headers: {} }, limits);
  return {
    ...createBatchLines(upstream, () => wire, settings),
    maxRequests: MAX_REQUESTS,
    maxBytes: MAX_BYTES,
    async submit({ marker, providerModel, requests, ...limits }) {
      const parts = requests.map(({ id, body }) => `{"request":${body},"metadata":{"key":${JSON.stringify(id)}}}`);
      const input = `{"requests":{"requests":[${parts.join(',')}]}}`;
      const operation = await json(
        {
          method: 'POST',
          url: `${baseUrl}/${toModelPath(providerModel)}:batchGenerateContent`,
          headers: jsonType,
          body: `{"batch":{"display_name":${JSON.stringify(marker)},"input_config":${input}}}`,
        },
        limits,
      );
      return requireId(operation['name'], name);
    },
    async find({ marker, ...limits }) {
      const url = `${baseUrl}/batches?pageSize=${SEARCHED}`;
      const { operations } = await json({ method: 'GET', url, headers: {} }, limits);
      const found = objectsOf(operations).find(
        ({ metadata }) => isRecord(metadata) && metadata['displayName'] === marker,
      );
      return textOf(found?.['name']);
    },
    async poll(call) {
      const { metadata, done, error } = await get(call);
      const state = isRecord(metadata) ? String(metadata['state']).replace(/^(?:BATCH|JOB)_STATE_/, '') : '';
      return STATES[state] ?? (done !== true ? 'running' : error === undefined ? 'ended' : 'failed');
    },
    async *read(call) {
      const { response, metadata } = await get(call);
      for (const output of [response, isRecord(metadata) ? metadata['output'] : undefined]) {
        const inlined = isRecord(output) ? output['inlinedResponses'] : undefined;
        const list = objectsOf(isRecord(inlined) ? inlined['inlinedResponses'] : inlined);
        for (const entry of list) yield toResponse(entry);
        if (list.length > 0) return;
      }
    },
    async cancel({ upstreamId, ...limits }) {
      await json({ method: 'POST', url: `${baseUrl}/${upstreamId}:cancel`, headers: jsonType, body: '{}' }, limits);
    },
    async discard({ upstreamId, ...limits }) {
      await json({ method: 'DELETE', url: `${baseUrl}/${upstreamId}`, headers: {} }, limits);
    },
  };
}

/** Numbers of `google.rpc.Code`: of what was not made at all, and the statuses of the others. */
const NOT_MADE: readonly unknown[] = [1, 4];
const STATUS_OF_CODE: Readonly<Record<number, number>> = {
  3: 400,
  5: 404,
  7: 403,
  8: 429,
  9: 400,
  11: 400,
  14: 503,
  16: 401,
};

function toResponse({ metadata, response, error }: Unchecked): BatchResponse {
  const id = String(isRecord(metadata) ? metadata['key'] : undefined);
  if (isRecord(response)) return { id, response: { status: 200, body: JSON.stringify(response) } };
  if (!isRecord(error) || NOT_MADE.includes(error['code'])) return { id, response: null };
  const status = STATUS_OF_CODE[Number(error['code'])] ?? 500;
  return { id, response: { status, body: JSON.stringify({ error: { ...error, code: status } }) } };
}
