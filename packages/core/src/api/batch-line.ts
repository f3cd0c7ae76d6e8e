import type { LineOutcome } from '../batches/batch-runner.ts';
import type { ChatParts } from '../chat/complete-chat.ts';
import { GatewayError, toErrorBody, toGatewayError } from '../foundation/errors.ts';
import type { GatewayRequest, Principal } from '../http/request.ts';
import type { BatchEndpoint } from '../wire/batches.ts';
import { createChatCompletion, createCompletion } from './chat.ts';
import { createEmbeddings } from './embeddings.ts';
import { createMessage } from './messages.ts';
import { createResponse, type ResponsesParts } from './responses.ts';
import type { WholeKindParts } from './whole-call.ts';

/** What calls of every kind that a batch may have use of a gateway. */
export type BatchLineParts = ChatParts & ResponsesParts & WholeKindParts;

const OPERATIONS = {
  '/v1/chat/completions': createChatCompletion,
  '/v1/completions': createCompletion,
  '/v1/embeddings': createEmbeddings,
  '/v1/messages': createMessage,
  '/v1/responses': createResponse,
} as const;

/**
 * Makes the call of one line of a batch: on the way of all calls, so that budgets, guardrails, limits and records hold for
 * its principal. A failed call is an outcome too.
 */
export async function makeBatchLine(
  endpoint: BatchEndpoint,
  body: Readonly<Record<string, unknown>>,
  principal: Principal,
  parts: BatchLineParts,
): Promise<LineOutcome> {
  const responseHeaders: Record<string, string> = {};
  const request: GatewayRequest = {
    method: 'POST',
    path: '',
    query: '',
    headers: { 'user-agent': 'model-gateway-batch' },
    json: endpoint === '/v1/embeddings' ? body : { ...body, stream: false },
    readBody: refuseBody,
    openBody: refuseBody,
    signal: new AbortController().signal,
    baseUrl: '',
    principal,
  };
  const generationId = (): string | null => responseHeaders['x-generation-id'] ?? null;
  try {
    const response = await OPERATIONS[endpoint].handle({ request, parts, params: {}, responseHeaders, principal });
    const text = typeof response.body === 'string' ? response.body : await textOf(response.body);
    return { status: response.status, body: JSON.parse(text), generationId: generationId() };
  } catch (thrown) {
    const error = toGatewayError(thrown);
    const isLimited = error.code === 'rate_limit_exceeded' && generationId() === null;
    return {
      status: error.status,
      body: { error: toErrorBody(error) },
      generationId: generationId(),
      ...(isLimited && { retryAfterSeconds: error.retryAfterSeconds ?? 1 }),
    };
  }
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
