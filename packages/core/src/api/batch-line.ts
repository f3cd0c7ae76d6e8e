import type { LineCalls, LineOutcome, SentLine } from '../batches/line-calls.ts';
import { completeBatchedChat, findBatchedEndpoint, prepareBatchedChat } from '../chat/batched-chat.ts';
import { type ChatParts, completeChat } from '../chat/complete-chat.ts';
import type { CallFormat } from '../chat/format.ts';
import { askWithSomeKey } from '../dispatch/ask-by-keys.ts';
import { chatCompletionsFormat } from '../formats/chat-completions/chat-completions-format.ts';
import { completionsFormat } from '../formats/completions/completions-format.ts';
import { messagesFormat } from '../formats/messages/messages-format.ts';
import { GatewayError, toErrorBody, toGatewayError } from '../foundation/errors.ts';
import type { GatewayRequest, Principal, RequestContext } from '../http/request.ts';
import type { GatewayResponse } from '../http/response.ts';
import type { Provider } from '../providers/provider.ts';
import { providerWithKey } from '../routing/key-pools.ts';
import type { GenerationRepository } from '../stores/store.ts';
import type { BatchEndpoint } from '../wire/batches.ts';
import { createEmbeddings } from './embeddings.ts';
import { type ResponsesParts, toKeepingFormat } from './responses.ts';
import type { WholeKindParts } from './whole-call.ts';

/** What calls of every kind that a batch may have use of a gateway. */
export type BatchLineParts = ChatParts &
  ResponsesParts &
  WholeKindParts & {
    readonly providers: readonly Provider[];
    readonly store: { readonly generations: Pick<GenerationRepository, 'get' | 'getLate'> };
  };

type Body = Readonly<Record<string, unknown>>;

type LineContext = RequestContext<BatchLineParts>;

/** The formats of lines that are chats. Embeddings are the other kind. */
const FORMATS: Readonly<Partial<Record<BatchEndpoint, (context: LineContext) => CallFormat>>> = {
  '/v1/chat/completions': () => chatCompletionsFormat,
  '/v1/completions': () => completionsFormat,
  '/v1/messages': () => messagesFormat,
  '/v1/responses': toKeepingFormat,
};

/**
 * Makes the calls of the lines of batches: on the way of all calls, so that budgets, guardrails, limits and records hold
 * for their principals. A failed call is an outcome too.
 */
export function createLineCalls(parts: BatchLineParts): LineCalls {
  return {
    make(endpoint, body, principal, generationId) {
      const context = toContext(endpoint, body, principal, parts);
      const format = FORMATS[endpoint]?.(context);
      const given = { generationId, isRuled: true };
      return toOutcome(context, async () =>
        format === undefined ? createEmbeddings.handle(context) : completeChat(format, context, given),
      );
    },
    async prepare(endpoint, body, principal, generationId) {
      const toFormat = FORMATS[endpoint];
      if (toFormat === undefined) return { type: 'own' };
      const context = toContext(endpoint, body, principal, parts);
      let prepared;
      try {
        prepared = await prepareBatchedChat(toFormat(context), context, generationId);
      } catch (thrown) {
        return { type: 'refused', outcome: toRefusal(thrown, context) };
      }
      if (prepared === null) return { type: 'own' };
      const { endpoint: chosen, request, hold } = prepared;
      const { modelId, tag, provider, providerModel } = chosen;
      return { type: 'ready', place: { modelId, tag, providerSlug: provider.slug, providerModel }, request, hold };
    },
    complete: (endpoint, body, principal, sent) => completeLine(endpoint, body, principal, sent, parts),
    findApi: (slug, keyName) => {
      const provider = findProvider(slug, parts);
      return provider && providerWithKey(provider, keyName).batches;
    },
    async send({ providerSlug, batchId }, send) {
      const provider = findProvider(providerSlug, parts);
      const refuse = (): never => {
        throw new GatewayError('not_found', `The provider "${providerSlug}" takes no batches any more`);
      };
      if (provider === undefined) return refuse();
      const request = { provider, stickyKey: batchId, signal: new AbortController().signal };
      return askWithSomeKey(request, parts.attempts.pools, async (keyed, keyName) =>
        keyed.batches === undefined ? refuse() : send(keyed.batches, keyName),
      );
    },
    handOver: (generationId) => parts.ledger.handOver(generationId),
    untilCounted: (generationId) => parts.ledger.untilCounted(generationId),
    release: (generationId) => parts.ledger.release(generationId),
  };
}

const findProvider = (slug: string, { providers }: Pick<BatchLineParts, 'providers'>): Provider | undefined =>
  providers.find((provider) => provider.slug === slug);

async function completeLine(
  endpoint: BatchEndpoint,
  body: Body,
  principal: Principal,
  { generationId, modelId, tag, providerKey, response }: SentLine,
  parts: BatchLineParts,
): Promise<LineOutcome> {
  const { generations } = parts.store;
  // The process has died after it wrote the record, and before it wrote the result.
  const isRecorded =
    ((await generations.get(generationId)) ?? (await generations.getLate?.(generationId))) !== undefined;
  const context = toContext(endpoint, body, principal, isRecorded ? { ...parts, recorder: RECORDED } : parts);
  return toOutcome(context, async () => {
    const found = findBatchedEndpoint(parts.catalog.find(modelId), tag);
    const format = FORMATS[endpoint]?.(context);
    if (format === undefined || found?.provider.batches === undefined) {
      throw new GatewayError('not_found', `The model "${modelId}" is no longer served by the provider of the batch`);
    }
    const sent = { ...found, keyName: providerKey };
    return completeBatchedChat(format, context, { generationId, endpoint: sent, response, isFinal: isRecorded });
  });
}

const RECORDED: BatchLineParts['recorder'] = {
  recordCall: () => Promise.resolve(),
  append: () => Promise.resolve(),
};

function toContext(endpoint: BatchEndpoint, body: Body, principal: Principal, parts: BatchLineParts): LineContext {
  const request: GatewayRequest = {
    method: 'POST',
    path: '',
    query: '',
    headers: { 'user-agent': 'model-gateway-batch' },
    // A copy, because the reader of a body drops members of it.
    json: structuredClone(endpoint === '/v1/embeddings' ? body : { ...body, stream: false }),
    readBody: refuseBody,
    openBody: refuseBody,
    signal: new AbortController().signal,
    baseUrl: '',
    principal,
  };
  return { request, parts, params: {}, responseHeaders: {}, principal };
}

const generationIdOf = ({ responseHeaders }: Pick<LineContext, 'responseHeaders'>): string | null =>
  responseHeaders['x-generation-id'] ?? null;

async function toOutcome(context: LineContext, call: () => Promise<GatewayResponse>): Promise<LineOutcome> {
  try {
    const response = await call();
    const text = typeof response.body === 'string' ? response.body : await textOf(response.body);
    return { status: response.status, body: JSON.parse(text), generationId: generationIdOf(context) };
  } catch (thrown) {
    return toRefusal(thrown, context);
  }
}

function toRefusal(thrown: unknown, context: LineContext): LineOutcome {
  const error = toGatewayError(thrown);
  const generationId = generationIdOf(context);
  // A store or a counter that was away for a moment refuses no line for good.
  const isForNow = error.code === 'rate_limit_exceeded' || error.code === 'provider_overloaded';
  return {
    status: error.status,
    body: { error: toErrorBody(error) },
    generationId,
    ...(isForNow && generationId === null && { retryAfterSeconds: error.retryAfterSeconds ?? 1 }),
  };
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array> | null): Promise<string> {
  if (body === null) return 'null';
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

function refuseBody(): never {
  throw new GatewayError('internal', 'A call of the gateway itself has no body to read');
}
