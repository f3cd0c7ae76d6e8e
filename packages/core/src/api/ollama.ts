import { z } from 'zod';

import { CALL_HEADERS, CALL_RESPONSE_HEADERS } from '../calls/call-headers.ts';
import { receiveCall } from '../calls/model-call.ts';
import { amendRequest } from '../calls/request-hook.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { Format } from '../chat/format.ts';
import { embeddingsKind, runEmbeddings } from '../embeddings/embeddings.ts';
import { NDJSON, ollamaChatFormat, ollamaGenerateFormat } from '../formats/ollama/ollama-format.ts';
import { GatewayError } from '../foundation/errors.ts';
import { isRecord, parseWith } from '../foundation/parse.ts';
import { readJsonBody } from '../http/json-body.ts';
import { type MediaTypes, operation } from '../http/operation.ts';
import type { GatewayRequest, RequestContext } from '../http/request.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import { embeddingsRequestSchema } from '../wire/embeddings.ts';
import { refuseField } from '../wire/fields.ts';
import {
  ollamaChatRequestSchema,
  ollamaChatResponseSchema,
  ollamaEmbeddingsRequestSchema,
  ollamaEmbeddingsResponseSchema,
  ollamaEmbedRequestSchema,
  ollamaEmbedResponseSchema,
  ollamaErrorLineSchema,
  ollamaGenerateRequestSchema,
  ollamaGenerateResponseSchema,
} from '../wire/ollama.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';
import { findShownModel, type ModelParts } from './models.ts';
import type { WholeKindParts } from './whole-call.ts';

/** What calls in the form of Ollama use of a gateway. */
export type OllamaCallParts = ChatParts & WholeKindParts & ModelParts;

const STREAM_HEADERS = {
  'cache-control': 'Of a stream: `no-cache, no-transform`',
  'x-accel-buffering': 'Of a stream: `no`; proxies must not hold it back',
};

const toMediaTypes = (schema: z.ZodType): MediaTypes => ({
  mediaTypes: { [NDJSON]: z.union([schema, ollamaErrorLineSchema]), 'application/json': schema },
});

/** `POST /api/chat`: a chat call in the form of Ollama. It streams unless `stream` is false. */
export const ollamaChat = operation<OllamaCallParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: ollamaChatRequestSchema },
  response: toMediaTypes(ollamaChatResponseSchema),
  responseHeaders: { ...CHAT_RESPONSE_HEADERS, ...STREAM_HEADERS },
  run: (context) =>
    complete(ollamaChatFormat, context, {
      schema: ollamaChatRequestSchema,
      isEmpty: ({ messages }) => !messages || messages.length === 0,
      said: { message: { role: 'assistant', content: '' } },
    }),
});

/** `POST /api/generate`: a chat call with one prompt, in the form of Ollama. It streams unless `stream` is false. */
export const ollamaGenerate = operation<OllamaCallParts>()({
  headers: CHAT_HEADERS,
  body: { readByRun: ollamaGenerateRequestSchema },
  response: toMediaTypes(ollamaGenerateResponseSchema),
  responseHeaders: { ...CHAT_RESPONSE_HEADERS, ...STREAM_HEADERS },
  run: (context) =>
    complete(ollamaGenerateFormat, context, {
      schema: ollamaGenerateRequestSchema,
      isEmpty: ({ prompt, images }) => !prompt && !images?.length,
      said: { response: '' },
    }),
});

/** How a form asks only for a model to be loaded, or to be let go of. */
interface LoadForm<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly isEmpty: (body: z.infer<Schema>) => boolean;
  /** A completion without text. */
  readonly said: object;
}

async function complete<Schema extends typeof ollamaChatRequestSchema | typeof ollamaGenerateRequestSchema>(
  format: Format,
  context: RequestContext<OllamaCallParts>,
  { schema, isEmpty, said }: LoadForm<Schema>,
): Promise<GatewayResponse> {
  const json = await readJson(context.request);
  if (isRecord(json) && isEmpty(json as z.infer<Schema>)) {
    const body = parseWith(schema, json) as z.infer<typeof ollamaGenerateRequestSchema>;
    return respondToLoad(body, said, context);
  }
  return completeChat(format, { ...context, request: { ...context.request, json } });
}

/** Nothing is loaded here, so the response says at once what a client that only loads a model waits for. */
async function respondToLoad(
  { model, stream, keep_alive: keepAlive }: z.infer<typeof ollamaGenerateRequestSchema>,
  said: object,
  context: RequestContext<OllamaCallParts>,
): Promise<GatewayResponse> {
  const { platform } = context.parts;
  if (!model) throw refuseField('model', 'must name a model');
  const { id } = await findShownModel(model, context);
  const createdAt = new Date(platform.now()).toISOString();
  const reason = Number.parseFloat(String(keepAlive)) === 0 ? 'unload' : 'load';
  const body = { model: id, created_at: createdAt, ...said, done: true, done_reason: reason };
  const response = toJsonResponse(200, body, context.responseHeaders);
  if (stream === false) return response;
  return { ...response, headers: { ...response.headers, 'content-type': NDJSON }, body: `${response.body}\n` };
}

/**
 * Reads the body of a request. Ollama takes any type of content, and `curl -d` names another one than JSON: with a key in
 * its header a request is none that a page of another site can make a browser send, and so is read, too.
 */
function readJson(request: GatewayRequest): ReturnType<typeof readJsonBody> {
  const { 'content-type': _type, ...headers } = request.headers;
  return readJsonBody(headers['authorization'] === undefined ? request : { ...request, headers });
}

/** `POST /api/embed`: embeddings of one text or several. */
export const ollamaEmbed = operation<OllamaCallParts>()({
  headers: CALL_HEADERS,
  body: { readByRun: ollamaEmbedRequestSchema },
  response: ollamaEmbedResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run(context) {
    const { platform } = context.parts;
    const startedAt = platform.monotonicNow();
    const body = parseWith(ollamaEmbedRequestSchema, await readJson(context.request));
    const { model, data, usage } = await embed(body, context);
    return {
      model,
      embeddings: data.map(({ embedding }) => embedding as number[]),
      total_duration: Math.round((platform.monotonicNow() - startedAt) * 1_000_000),
      load_duration: 0,
      prompt_eval_count: usage.prompt_tokens,
    };
  },
});

/** `POST /api/embeddings`: the older form, for one text. */
export const ollamaEmbeddings = operation<OllamaCallParts>()({
  headers: CALL_HEADERS,
  body: { readByRun: ollamaEmbeddingsRequestSchema },
  response: ollamaEmbeddingsResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run(context) {
    const { prompt: input, ...body } = parseWith(ollamaEmbeddingsRequestSchema, await readJson(context.request));
    const { data } = await embed({ ...body, input }, context);
    return { embedding: (data[0]?.embedding ?? []) as number[] };
  },
});

async function embed(
  { dimensions, ...body }: z.infer<typeof ollamaEmbedRequestSchema>,
  context: RequestContext<OllamaCallParts>,
): ReturnType<typeof runEmbeddings> {
  const asked = { ...body, encoding_format: 'float', ...(dimensions != null && dimensions > 0 && { dimensions }) };
  const check = (value: unknown) => parseWith(embeddingsRequestSchema, value);
  const request = await amendRequest({ kind: 'embeddings', request: check(asked) }, check, context);
  return runEmbeddings(receiveCall(embeddingsKind, request, context), context);
}

const refuse = (what: string) =>
  operation<object>()({
    response: z.object({}),
    errors: ['invalid_request'],
    run() {
      throw new GatewayError('invalid_request', `${what}: models are set up in the gateway, not by this API`);
    },
  });

/** What Ollama does with the models on its disk. */
export const ollamaPull = refuse('Models cannot be pulled');
export const ollamaPush = refuse('Models cannot be pushed');
export const ollamaCreate = refuse('Models cannot be created');
export const ollamaCopy = refuse('Models cannot be copied');
export const ollamaDelete = refuse('Models cannot be deleted');
export const ollamaUpload = { ...refuse('Files of models cannot be uploaded'), params: ['digest'] };
