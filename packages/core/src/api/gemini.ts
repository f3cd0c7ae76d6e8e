import { z } from 'zod';

import { CALL_HEADERS, CALL_RESPONSE_HEADERS, RATE_LIMIT_HEADERS } from '../calls/call-headers.ts';
import { receiveCall } from '../calls/model-call.ts';
import { amendRequest } from '../calls/request-hook.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { Format } from '../chat/format.ts';
import { embeddingsKind, runEmbeddings } from '../embeddings/embeddings.ts';
import { geminiFormat, geminiListFormat } from '../formats/gemini/gemini-format.ts';
import { toCamelCase } from '../formats/gemini/to-camel-case.ts';
import { isRecord, parseWith } from '../foundation/parse.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import { embeddingsRequestSchema } from '../wire/embeddings.ts';
import { refuseField } from '../wire/fields.ts';
import {
  geminiBatchRequestSchema,
  geminiBatchResponseSchema,
  geminiBodySchema,
  geminiCountRequestSchema,
  geminiCountSchema,
  geminiEmbedRequestSchema,
  type GeminiEmbedRequest,
  geminiEmbedResponseSchema,
  geminiEventSchema,
  geminiListSchema,
  geminiResponseSchema,
} from '../wire/gemini.ts';
import { CHAT_HEADERS, CHAT_RESPONSE_HEADERS } from './chat.ts';
import { countPrompt } from './count-prompt.ts';
import type { WholeKindParts } from './whole-call.ts';

/** What calls in Gemini's form use of a gateway. */
export type GeminiCallParts = ChatParts & WholeKindParts;

const KEY_HEADER = { 'x-goog-api-key': 'The key, where there is none in `Authorization`' };
/** Every operation of this form takes the key in the query. */
const key = z.string().optional().describe('The key, where no header has one');

type GeminiContext = RequestContext<GeminiCallParts> & { readonly params: Readonly<Record<'model', string>> };

/** `POST /v1beta/models/{model}:generateContent`: a chat call in Gemini's form. */
export const geminiGenerateContent = operation<GeminiCallParts>()({
  params: ['model'],
  query: z.object({ key }),
  headers: { ...CHAT_HEADERS, ...KEY_HEADER },
  body: { readByRun: geminiBodySchema },
  response: { mediaTypes: { 'application/json': geminiResponseSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => generate(geminiFormat, false, context),
});

/** `POST /v1beta/models/{model}:streamGenerateContent`: events with `alt=sse`, else one list. */
export const geminiStreamGenerateContent = operation<GeminiCallParts>()({
  params: ['model'],
  query: z.object({ alt: z.enum(['sse', 'json']).optional(), key }),
  headers: { ...CHAT_HEADERS, ...KEY_HEADER },
  body: { readByRun: geminiBodySchema },
  response: { mediaTypes: { 'text/event-stream': geminiEventSchema, 'application/json': geminiListSchema } },
  responseHeaders: CHAT_RESPONSE_HEADERS,
  run: (context) => generate(context.query.alt === 'sse' ? geminiFormat : geminiListFormat, true, context),
});

async function generate(format: Format, stream: boolean, context: GeminiContext): Promise<GatewayResponse> {
  const json = toBody(await readJsonBody(context.request), { model: context.params.model, stream });
  return completeChat(format, { ...context, request: { ...context.request, json } });
}

/** The body with what the address says: both are stored, and sent again, as one. */
const toBody = (body: unknown, address: { readonly model: string; readonly stream: boolean }): unknown =>
  isRecord(body) ? { ...toCamelCase(body), ...address } : body;

/** `POST /v1beta/models/{model}:countTokens`: of a prompt, or of a whole request. */
export const geminiCountTokens = operation<GeminiCallParts>()({
  params: ['model'],
  query: z.object({ key }),
  headers: { ...CALL_HEADERS, ...KEY_HEADER },
  body: { readByRun: geminiCountRequestSchema },
  response: geminiCountSchema,
  responseHeaders: RATE_LIMIT_HEADERS,
  async run(context) {
    const json = await readJsonBody(context.request);
    const body = isRecord(json) ? toCamelCase(json) : {};
    const whole = isRecord(body['generateContentRequest']) ? body['generateContentRequest'] : body;
    const { tokens, isEstimated } = await countPrompt(
      geminiFormat,
      toBody(whole, { model: context.params.model, stream: false }),
      context,
    );
    return { totalTokens: tokens, ...(isEstimated && { estimated: true }) };
  },
});

/** `POST /v1beta/models/{model}:embedContent`: the embedding of one content. */
export const geminiEmbedContent = operation<GeminiCallParts>()({
  params: ['model'],
  query: z.object({ key }),
  headers: { ...CALL_HEADERS, ...KEY_HEADER },
  body: { readByRun: geminiEmbedRequestSchema },
  response: geminiEmbedResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run(context) {
    const json = await readJsonBody(context.request);
    const body = parseWith(geminiEmbedRequestSchema, isRecord(json) ? toCamelCase(json) : json);
    const { vectors, usageMetadata } = await embed([body], context);
    return { embedding: vectors[0] ?? { values: [] }, usageMetadata };
  },
});

/** `POST /v1beta/models/{model}:batchEmbedContents`: embeddings of several contents, in one call. */
export const geminiBatchEmbedContents = operation<GeminiCallParts>()({
  params: ['model'],
  query: z.object({ key }),
  headers: { ...CALL_HEADERS, ...KEY_HEADER },
  body: { readByRun: geminiBatchRequestSchema },
  response: geminiBatchResponseSchema,
  responseHeaders: CALL_RESPONSE_HEADERS,
  async run(context) {
    const json = await readJsonBody(context.request);
    const { requests } = parseWith(geminiBatchRequestSchema, isRecord(json) ? toCamelCase(json) : json);
    const [first] = requests;
    for (const [index, { model, taskType, outputDimensionality }] of requests.entries()) {
      const path = `requests.${index}`;
      if (model && lastPartOf(model) !== lastPartOf(context.params.model)) {
        throw refuseField(`${path}.model`, 'must be the model of the address');
      }
      if (taskType !== first?.taskType || outputDimensionality !== first?.outputDimensionality) {
        throw refuseField(path, 'must have the taskType and outputDimensionality of the first request');
      }
    }
    const { vectors, usageMetadata } = await embed(requests, context);
    return { embeddings: vectors, usageMetadata };
  },
});

/** With or without `models/` and the author. */
const lastPartOf = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

interface Embedded {
  readonly vectors: readonly { readonly values: number[] }[];
  readonly usageMetadata: { readonly promptTokenCount: number; readonly cost?: number | null };
}

/** Embeds contents, whose parts are one text each. */
async function embed(requests: readonly GeminiEmbedRequest[], context: GeminiContext): Promise<Embedded> {
  const [first] = requests;
  const { taskType, outputDimensionality } = first ?? {};
  const asked = {
    model: context.params.model,
    input: requests.map(({ content }) => content.parts.map(({ text }) => text).join('\n')),
    encoding_format: 'float',
    ...(taskType && { input_type: taskType }),
    ...(outputDimensionality && { dimensions: outputDimensionality }),
  };
  const check = (value: unknown) => parseWith(embeddingsRequestSchema, value);
  const request = await amendRequest({ kind: 'embeddings', request: check(asked) }, check, context);
  const { data, usage } = await runEmbeddings(receiveCall(embeddingsKind, request, context), context);
  return {
    vectors: data.map(({ embedding }) => ({ values: embedding as number[] })),
    usageMetadata: { promptTokenCount: usage.prompt_tokens, ...(usage.cost !== undefined && { cost: usage.cost }) },
  };
}

/** The same below `/v1`, where newer clients ask. */
export const geminiGenerateContentV1 = { ...geminiGenerateContent };
export const geminiStreamGenerateContentV1 = { ...geminiStreamGenerateContent };
export const geminiCountTokensV1 = { ...geminiCountTokens };
export const geminiEmbedContentV1 = { ...geminiEmbedContent };
export const geminiBatchEmbedContentsV1 = { ...geminiBatchEmbedContents };
