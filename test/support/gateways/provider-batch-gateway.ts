import { createAnthropicProvider } from '../../../packages/core/src/providers/anthropic/anthropic-provider.ts';
import { createGoogleProvider } from '../../../packages/core/src/providers/google/google-provider.ts';
import { createOpenAiProvider } from '../../../packages/core/src/providers/openai/openai-provider.ts';
import type { Provider } from '../../../packages/core/src/providers/provider.ts';
import type { Batch, BatchResult } from '../../../packages/core/src/wire/batches.ts';
import { type BatchForm, type BatchUpstream, createBatchUpstream } from '../upstreams/batch-upstream.ts';
import { jsonOf } from './core-gateway.ts';
import { createFileGateway, type FileGateway } from './file-gateway.ts';

export const BATCHES_PATH = '/api/v1/batches';
export const CHAT = '/v1/chat/completions';

const MAKE = { openai: createOpenAiProvider, anthropic: createAnthropicProvider, google: createGoogleProvider };
const MODELS = [
  {
    id: 'acme/chat',
    endpoints: [
      {
        provider: 'up',
        providerModel: 'm-1',
        max_completion_tokens: 100,
        pricing: { prompt: '0.000001', completion: '0.000003' },
      },
    ],
  },
];

const makeProvider = (form: BatchForm, upstream: BatchUpstream, more: object = {}): Provider =>
  MAKE[form]({
    slug: 'up',
    name: 'Up',
    baseUrl: 'https://up.example/v1',
    apiKey: 'key-of-up',
    transport: upstream.transport,
    batches: true,
    ...more,
  });

export type BatchGatewayOptions = NonNullable<Parameters<typeof createFileGateway>[2]>;

/** A gateway whose only provider has a batch API of this form. */
export function createBatchGateway(form: BatchForm, more: object = {}, options: BatchGatewayOptions = {}) {
  const upstream = createBatchUpstream(form);
  const open = (reused: BatchGatewayOptions = {}, files: Parameters<typeof createFileGateway>[0] = {}) =>
    createFileGateway(files, [makeProvider(form, upstream, more)], { models: MODELS, ...options, ...reused });
  const gateway = open();
  return { ...gateway, upstream, open, ...helpersOf(gateway) };
}

/** A line whose call asks its own id. */
export const toLine = (id: string, body: object = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: CHAT,
    body: { model: 'acme/chat', messages: [{ role: 'user', content: id }], max_tokens: 50, ...body },
  });

export function helpersOf(gateway: FileGateway) {
  const read = async (id: string): Promise<Batch> =>
    jsonOf(await gateway.call('GET', `${BATCHES_PATH}/${id}`)) as Batch;
  return {
    read,
    async begin(lines: readonly string[]): Promise<Batch> {
      const file = jsonOf(await gateway.upload(lines.join('\n'), { fields: { purpose: 'batch' } })) as { id: string };
      return jsonOf(await gateway.post(BATCHES_PATH, { input_file_id: file.id, endpoint: CHAT })) as Batch;
    },
    /** Time passes until it has ended. */
    async ended(id: string): Promise<Batch> {
      for (let turn = 0; turn < 500; turn += 1) {
        const batch = await read(id);
        if (['completed', 'failed', 'cancelled', 'expired'].includes(batch.status)) return batch;
        await gateway.platform.advance(5000);
      }
      throw new Error(`The batch ${id} does not end: ${JSON.stringify(await read(id))}`);
    },
    async linesOf(fileId: string | null): Promise<BatchResult[]> {
      const { body } = await gateway.call('GET', `/api/v1/files/${fileId}/content`);
      const pieces: Uint8Array[] = [];
      for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
      const lines = Buffer.concat(pieces).toString().trim().split('\n');
      return lines.map((line) => JSON.parse(line) as BatchResult);
    },
  };
}
