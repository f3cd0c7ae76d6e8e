import type { Awaitable } from '../../foundation/awaitable.ts';
import { isRecord, objectsOf, type Unchecked } from '../../foundation/parse.ts';
import type { BatchCall, BatchResponse, BatchState } from '../batch-contract.ts';
import { type BatchSettings, createBatchCalls, createBatchLines, requireId, textOf } from '../kit/batch-calls.ts';
import type { ChatWire } from '../kit/create-chat-wire.ts';
import { toFormBody } from '../kit/form-body.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import type { BatchApi, ChatCall } from '../provider.ts';
import { readOpenAiError } from './read-openai-error.ts';

/** OpenAI takes 50,000 requests and 200 MB. Smaller ones are in memory on their way, and results come sooner. */
const MAX_REQUESTS = 10_000;
const MAX_BYTES = 16 * 1024 * 1024;

const STATES: Readonly<Record<string, BatchState>> = {
  completed: 'ended',
  expired: 'ended',
  cancelled: 'ended',
  failed: 'failed',
};

/** The batches that are listed to find one again. */
const SEARCHED = 100;

interface OpenAiBatchSettings extends BatchSettings {
  readonly toUrl: (path: string) => string;
  /** The wire in which a call is sent. */
  readonly wireOf: (call: ChatCall) => Awaitable<ChatWire>;
}

/**
 * Creates the batch API of OpenAI: a file of lines, `POST /batches` over it, and two files of
 * results.
 */
export function createOpenAiBatches(upstream: Upstream, { toUrl, wireOf, ...settings }: OpenAiBatchSettings): BatchApi {
  const { json, lines } = createBatchCalls(upstream, { readError: readOpenAiError });
  const { name, baseUrl } = upstream;
  const jsonType = { 'content-type': 'application/json' };

  const get = ({ upstreamId, ...limits }: BatchCall): Promise<Unchecked> =>
    json({ method: 'GET', url: toUrl(`/batches/${encodeURIComponent(upstreamId)}`), headers: {} }, limits);

  return {
    ...createBatchLines(upstream, wireOf, settings),
    maxRequests: MAX_REQUESTS,
    maxBytes: MAX_BYTES,
    async submit({ marker, group, requests, ...limits }) {
      // As it is seen from the address of the provider: `/v1/chat/completions`.
      const endpoint = `/v1${group.slice(baseUrl.length).replace(/\?.*$/, '')}`;
      const form = toFormBody([['purpose', 'batch']], toFile(`${marker}.jsonl`, endpoint, requests));
      const file = await json({ method: 'POST', url: toUrl('/files'), headers: form.headers, body: form.body }, limits);
      const body = {
        input_file_id: requireId(file['id'], name),
        endpoint,
        completion_window: '24h',
        metadata: { gateway_batch: marker },
      };
      const headers = { ...jsonType, 'idempotency-key': marker };
      const batch = await json({ method: 'POST', url: toUrl('/batches'), headers, body: JSON.stringify(body) }, limits);
      return requireId(batch['id'], name);
    },
    async find({ marker, ...limits }) {
      const url = toUrl(`/batches?limit=${SEARCHED}`);
      const { data } = await json({ method: 'GET', url, headers: {} }, limits);
      const found = objectsOf(data).find(({ metadata }) => isRecord(metadata) && metadata['gateway_batch'] === marker);
      return textOf(found?.['id']);
    },
    async poll(call) {
      return STATES[String((await get(call))['status'])] ?? 'running';
    },
    async *read(call) {
      const batch = await get(call);
      for (const fileId of [batch['output_file_id'], batch['error_file_id']]) {
        const id = textOf(fileId);
        if (id === undefined) continue;
        for await (const line of lines(toUrl(`/files/${encodeURIComponent(id)}/content`), call)) yield toResponse(line);
      }
    },
    async cancel({ upstreamId, ...limits }) {
      const url = toUrl(`/batches/${encodeURIComponent(upstreamId)}/cancel`);
      await json({ method: 'POST', url, headers: jsonType, body: '{}' }, limits);
    },
    async discard(call) {
      const batch = await get(call);
      for (const fileId of [batch['input_file_id'], batch['output_file_id'], batch['error_file_id']]) {
        const id = textOf(fileId);
        if (id === undefined) continue;
        await json({ method: 'DELETE', url: toUrl(`/files/${encodeURIComponent(id)}`), headers: {} }, call);
      }
    },
  };
}

const encoder = new TextEncoder();

function toFile(
  filename: string,
  endpoint: string,
  requests: readonly { readonly id: string; readonly body: string }[],
): Parameters<typeof toFormBody>[1] {
  const pieces = requests.map(({ id, body }) =>
    encoder.encode(
      `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${JSON.stringify(endpoint)},"body":${body}}\n`,
    ),
  );
  return {
    format: 'jsonl',
    mediaType: 'application/jsonl',
    filename,
    byteLength: pieces.reduce((sum, { byteLength }) => sum + byteLength, 0),
    open: () => pieces,
  };
}

/** A line of either file: a response, also one that is an error; else why there is none. */
function toResponse({ custom_id: id, response }: Unchecked): BatchResponse {
  const found = isRecord(response) && typeof response['status_code'] === 'number' ? response : null;
  return {
    id: String(id),
    response: found && { status: Number(found['status_code']), body: JSON.stringify(found['body'] ?? null) },
  };
}
