import type { Generation, StoredBatch, StoredFile } from '@model-gateway/core';

import {
  createDice,
  HOUR_MS,
  NOTHING_KNOWN,
  SAMPLE_KEYS,
  type SampleCall,
  type SampleKey,
  toFigures,
} from './sample-calls.ts';
import type { SampleMedia } from './sample-kinds.ts';
import { DOCUMENTS, PICTURES, type SampleExchange, SUPPORT, WEBSITE } from './sample-texts.ts';

/** A made-up file: its row without what only a storage knows, and its content. */
export interface SampleFile {
  readonly row: Omit<StoredFile, 'bytes' | 'content'>;
  readonly content: Buffer;
}

interface SampleBatches {
  /** The calls of the lines that were made. */
  readonly calls: readonly SampleCall[];
  readonly files: readonly SampleFile[];
  readonly batches: readonly StoredBatch[];
}

type HashOf = (key: SampleKey) => string;

const DAY_MS = 24 * HOUR_MS;
const MODEL = 'openai/gpt-5.6-sol';
const ENDPOINT = '/v1/chat/completions';
/** Nano-dollars a token, at half the price of single calls. */
const PRICES = { input: 2000, output: 10_000 };

/** A batch before it is made. Files are called after its name. */
interface SampleBatch {
  readonly name: string;
  readonly key: SampleKey;
  readonly daysAgo: number;
  readonly tookMs: number;
  readonly exchanges: readonly SampleExchange[];
  readonly status: 'completed' | 'cancelled';
  /** So many lines were made. */
  readonly made: number;
  /** A line that the provider has refused. */
  readonly refused?: number;
}

const BATCHES: readonly SampleBatch[] = [
  {
    name: 'sample-product-texts',
    key: 'website',
    daysAgo: 9,
    tookMs: 41 * 60_000,
    exchanges: WEBSITE,
    status: 'completed',
    made: WEBSITE.length,
    refused: 2,
  },
  {
    name: 'sample-old-tickets',
    key: 'support',
    daysAgo: 5,
    tookMs: 12 * 60_000,
    exchanges: SUPPORT,
    status: 'cancelled',
    made: 3,
  },
  {
    name: 'sample-tickets',
    key: 'support',
    daysAgo: 2,
    tookMs: 67 * 60_000,
    exchanges: SUPPORT,
    status: 'completed',
    made: SUPPORT.length,
  },
];

/** A few files, and batches that have ended: no sample is ever run. `endMs`: until when. */
export function createSampleBatches(endMs: number, hashOf: HashOf, { pictures }: SampleMedia): SampleBatches {
  const roll = createDice(53);
  const uploads = [
    toFile('sample-return-policy.md', Buffer.from(`# Returns\n\n${DOCUMENTS.join('\n\n')}\n`), {
      mimeType: 'text/markdown',
      purpose: 'user_data',
      createdBy: hashOf('support'),
      atMs: endMs - 16 * DAY_MS,
    }),
    ...PICTURES.slice(0, 1).map((prompt) =>
      toFile('sample-picture.png', Buffer.from((pictures.get(prompt) ?? '').replace(/^.*,/, ''), 'base64'), {
        mimeType: 'image/png',
        purpose: 'vision',
        createdBy: hashOf('website'),
        atMs: endMs - 12 * DAY_MS,
      }),
    ),
  ];
  const ended = BATCHES.map((batch) => toEnded(batch, endMs, roll, hashOf));
  const broken = toBroken(endMs - 1.5 * DAY_MS, hashOf);
  return {
    calls: ended.flatMap(({ calls }) => calls),
    files: [...uploads, ...ended.flatMap(({ files }) => files), broken.file],
    batches: [...ended.map(({ batch }) => batch), broken.batch],
  };
}

interface FileFacts extends Pick<StoredFile, 'mimeType' | 'purpose' | 'createdBy'> {
  readonly atMs: number;
}

const toFile = (filename: string, content: Buffer, { atMs, ...facts }: FileFacts): SampleFile => ({
  row: {
    ...facts,
    id: `or_file_${filename.replaceAll(/\W/g, '_')}`,
    workspaceId: NOTHING_KNOWN.workspace_id,
    filename,
    origin: facts.purpose === 'batch_output' ? 'generated' : 'uploaded',
    createdAt: new Date(atMs).toISOString(),
    expiresAt: null,
  },
  content,
});

const toLines = (filename: string, lines: readonly object[], facts: Omit<FileFacts, 'mimeType'>): SampleFile =>
  toFile(filename, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), {
    ...facts,
    mimeType: 'application/x-ndjson',
  });

const toQuestion = ({ prompt }: SampleExchange) => ({
  model: MODEL,
  max_tokens: 400,
  messages: [{ role: 'user' as const, content: prompt }],
});

function toEnded(sample: SampleBatch, endMs: number, roll: () => number, hashOf: HashOf) {
  const { name, key, daysAgo, tookMs, exchanges, status, made, refused } = sample;
  const createdAt = Math.round(endMs - daysAgo * DAY_MS - roll() * 3 * HOUR_MS);
  const endedAt = createdAt + tookMs;
  const owner = { purpose: 'batch', createdBy: hashOf(key) } as const;
  const lineId = (index: number): string => `line-${index + 1}`;
  const input = toLines(
    `${name}.jsonl`,
    exchanges.map((one, index) => ({
      custom_id: lineId(index),
      method: 'POST',
      url: ENDPOINT,
      body: toQuestion(one),
    })),
    { ...owner, atMs: createdAt - 20_000 },
  );
  const calls = exchanges.slice(0, made).map((exchange, index) =>
    toCall(exchange, {
      id: `gen-${name}-${index + 1}`,
      key,
      createdMs: Math.round(createdAt + (tookMs * (index + 1)) / (made + 1)),
      isRefused: index === refused,
      hashOf,
    }),
  );
  const results = calls.map((call, index) => toResult(call, `batch_req_${name}_${index + 1}`, lineId(index)));
  const hasFailed = ({ response }: (typeof results)[number]): boolean => response.status_code >= 400;
  const failed = results.filter(hasFailed);
  const missing = exchanges.slice(made).map((_, index) => ({
    id: `batch_req_${name}_${made + index + 1}`,
    custom_id: lineId(made + index),
    response: null,
    error: { code: 'batch_cancelled', message: 'The batch was cancelled before this request was made' },
  }));
  const ofGateway = { purpose: 'batch_output', createdBy: hashOf(key), atMs: endedAt } as const;
  const output = toLines(
    `${name}_output.jsonl`,
    results.filter((result) => !hasFailed(result)),
    ofGateway,
  );
  const errors = [...failed, ...missing];
  const error = errors.length === 0 ? undefined : toLines(`${name}_error.jsonl`, errors, ofGateway);
  const batch: StoredBatch = {
    ...toCommon(name, key, createdAt, hashOf),
    inputFileId: input.row.id,
    status,
    times: {
      in_progress: createdAt + 1000,
      ...(status === 'cancelled' ? { cancelling: endedAt - 4000 } : { finalizing: endedAt - 1000 }),
      [status]: endedAt,
    },
    total: exchanges.length,
    completed: results.length - failed.length,
    failed: failed.length,
    costNanoUsd: calls.reduce((sum, { record }) => sum + record.costNanoUsd, 0),
    problems: [],
    outputFileId: output.row.id,
    errorFileId: error?.row.id ?? null,
  };
  return { batch, calls, files: [input, output, ...(error === undefined ? [] : [error])] };
}

const toCommon = (name: string, key: SampleKey, createdAt: number, hashOf: HashOf) => ({
  id: `batch_${name.replaceAll('-', '_')}`,
  kind: 'batch' as const,
  workspaceId: NOTHING_KNOWN.workspace_id,
  owner: { id: hashOf(key), name: SAMPLE_KEYS[key].name, isKey: true },
  endpoint: ENDPOINT as StoredBatch['endpoint'],
  createdAt,
  expiresAt: createdAt + DAY_MS,
  metadata: { sample: 'made up' },
  lease: null,
});

/** A batch that could not begin, because of its lines. */
function toBroken(createdAt: number, hashOf: HashOf): { readonly batch: StoredBatch; readonly file: SampleFile } {
  const name = 'sample-two-mistakes';
  const [first, second] = SUPPORT.map(toQuestion);
  const file = toLines(
    `${name}.jsonl`,
    [
      { custom_id: 'line-1', method: 'POST', url: ENDPOINT, body: first },
      { custom_id: 'line-1', method: 'POST', url: ENDPOINT, body: second },
      { custom_id: 'line-3', method: 'POST', url: '/v1/embeddings', body: { input: 'tent' } },
    ],
    { purpose: 'batch', createdBy: hashOf('support'), atMs: createdAt - 20_000 },
  );
  const batch: StoredBatch = {
    ...toCommon(name, 'support', createdAt, hashOf),
    inputFileId: file.row.id,
    status: 'failed',
    times: { failed: createdAt },
    total: 3,
    completed: 0,
    failed: 0,
    costNanoUsd: 0,
    problems: [
      { code: 'duplicate_custom_id', message: 'custom_id: another line has the same', line: 2 },
      { code: 'invalid_url', message: `url: must be ${ENDPOINT}, as of the batch`, line: 3 },
    ],
    outputFileId: null,
    errorFileId: null,
  };
  return { batch, file };
}

interface CallFacts {
  readonly id: string;
  readonly key: SampleKey;
  readonly createdMs: number;
  readonly isRefused: boolean;
  readonly hashOf: HashOf;
}

const REFUSAL = 'The prompt was flagged by the provider’s moderation';
const toTokens = (text: string): number => Math.ceil(text.length / 4);

function toCall(
  exchange: SampleExchange,
  { id, key, createdMs, isRefused, hashOf }: CallFacts,
): SampleCall & { readonly id: string } {
  const input = toTokens(exchange.prompt);
  const output = isRefused ? 0 : toTokens(exchange.completion);
  const costNanoUsd = isRefused ? 0 : input * PRICES.input + output * PRICES.output;
  const finish = isRefused ? 'error' : 'stop';
  const generation: Generation = {
    ...NOTHING_KNOWN,
    id,
    created_at: new Date(createdMs).toISOString(),
    model: MODEL,
    provider_name: isRefused ? null : 'OpenAI',
    user_agent: 'model-gateway-batch',
    streamed: false,
    cancelled: false,
    ...toFigures({ finish, input, output, cached: 0, reasoning: 0, costNanoUsd }),
    cache_discount: null,
    latency: null,
    generation_time: null,
    provider_responses: [
      {
        endpoint_id: `OpenAI/batch:${MODEL}`,
        is_byok: false,
        model_permaslug: MODEL,
        provider_name: 'OpenAI',
        status: isRefused ? 403 : 200,
      },
    ],
  };
  return {
    id,
    record: { principalId: hashOf(key), costNanoUsd, generation },
    content: {
      input: { messages: toQuestion(exchange).messages },
      output: { completion: isRefused ? null : exchange.completion, reasoning: null },
      error: isRefused
        ? { message: REFUSAL, status: 403, provider_name: 'OpenAI', raw: null, previous_errors: [] }
        : null,
    },
  };
}

/** The line of a call in the files of its batch. */
function toResult({ id: generationId, record, content }: ReturnType<typeof toCall>, id: string, custom_id: string) {
  const { created_at: at, tokens_prompt, tokens_completion, total_cost: cost } = record.generation;
  const { completion } = content.output;
  const body =
    completion === null
      ? { error: { code: 403, message: REFUSAL } }
      : {
          id: generationId,
          object: 'chat.completion',
          created: Math.floor(Date.parse(at) / 1000),
          model: MODEL,
          provider: 'OpenAI',
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: completion } }],
          usage: {
            prompt_tokens: tokens_prompt,
            completion_tokens: tokens_completion,
            total_tokens: (tokens_prompt ?? 0) + (tokens_completion ?? 0),
            cost,
          },
        };
  return {
    id,
    custom_id,
    response: { status_code: completion === null ? 403 : 200, request_id: generationId, body },
    error: null,
  };
}
