import { GatewayError } from '../../foundation/errors.ts';
import type { ChatChunk } from '../../wire/chat/chat-chunk.ts';
import { iterateOne, createLazyIterable } from '../../foundation/lazy-iterable.ts';
import { readErrorText, readText } from '../../foundation/read-text.ts';
import type { Transport, TransportResponse } from '../../foundation/transport.ts';
import { createAnthropicAnswerReader } from './anthropic-answer-reader.ts';
import { readAnthropicError } from './read-anthropic-error.ts';
import { readAnthropicModelList } from './read-anthropic-model-list.ts';
import { toAnthropicRequest } from './to-anthropic-request.ts';
import { toOpaqueUserId } from './to-opaque-user-id.ts';
import { toCallLimits } from '../kit/call-limits.ts';
import { type ChatCall, type DataPolicy, type Provider, UNKNOWN_DATA_POLICY } from '../provider.ts';
import { isBlank, isDoneMarker, readEvents } from '../kit/read-events.ts';
import { readRetryAfterSeconds } from '../../foundation/read-retry-after.ts';
import { toShownBody } from '../kit/to-shown-body.ts';
import { toUpstreamError } from '../kit/upstream-error.ts';

export interface AnthropicProviderSettings {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Includes the version segment: `https://api.anthropic.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every call, e.g. `anthropic-beta`; may replace `anthropic-version`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
}

/** The version of the wire that this file speaks. */
const WIRE_VERSION = '2023-06-01';
const LIST_TIMEOUT_MS = 10_000;
/** The most that one page of the model list may hold, and more models than there are. */
const LIST_LIMIT = 1000;

/** Creates a provider that speaks Anthropic's Messages wire. */
export function createAnthropicProvider(settings: AnthropicProviderSettings): Provider {
  const name = settings.name ?? settings.slug;
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const secrets = [settings.apiKey ?? '', ...Object.values(settings.headers ?? {})].filter((value) => value.length > 3);
  const headers: Record<string, string> = {
    'anthropic-version': WIRE_VERSION,
    ...settings.headers,
    ...(settings.apiKey !== undefined && { 'x-api-key': settings.apiKey }),
  };
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const fail = async (response: TransportResponse): Promise<GatewayError> => {
    const text = await readErrorText(response.body);
    return toUpstreamError({
      providerName: name,
      secrets,
      retryAfterSeconds: readRetryAfterSeconds(response.headers, Date.parse(response.headers['date'] ?? '')),
      ...readAnthropicError(readErrorOf(text), response.status),
    });
  };

  const openAnswer = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    const { user } = call.request;
    const body = user ? toAnthropicRequest(call, await toOpaqueUserId(settings.slug, user)) : toAnthropicRequest(call);
    call.onUpstreamBody?.(toShownBody(body, secrets));
    const response = await settings.transport.send({
      method: 'POST',
      url: `${baseUrl}/messages`,
      headers: chatHeaders,
      body: JSON.stringify(body),
      ...toCallLimits(call),
    });
    if (response.status !== 200) throw await fail(response);
    const contentType = response.headers['content-type']?.toLowerCase() ?? '';
    if (contentType.startsWith('text/html')) {
      throw new GatewayError('provider_unavailable', `${name} returned a web page instead of an answer`);
    }
    const reader = createAnthropicAnswerReader({
      providerName: name,
      secrets,
      makeId: (number) => `toolu_${call.generationId.slice(-12)}_${number}`,
    });
    // A server that ignores `stream` answers whole all the same; that is an answer, too.
    if (!call.stream || contentType.startsWith('application/json')) {
      return iterateOne([reader.readWhole(await readText(response.body))]);
    }
    const readEvent = (data: string): ChatChunk | 'done' | undefined =>
      isBlank(data) || isDoneMarker(data) ? undefined : reader.readEvent(data);
    return readEvents(response.body, readEvent, name, reader.readEnd);
  };

  return {
    slug: settings.slug,
    name,
    dataPolicy: settings.dataPolicy ?? UNKNOWN_DATA_POLICY,
    region: settings.region,
    byok: settings.byok,
    discoverModels: settings.discoverModels,

    chat: (call) => createLazyIterable(() => openAnswer(call)),

    async listModels(signal) {
      const response = await settings.transport.send({
        method: 'GET',
        url: `${baseUrl}/models?limit=${LIST_LIMIT}`,
        headers,
        signal,
        headersTimeoutMs: LIST_TIMEOUT_MS,
        idleTimeoutMs: LIST_TIMEOUT_MS,
        totalTimeoutMs: LIST_TIMEOUT_MS,
      });
      if (response.status !== 200) throw await fail(response);
      return readAnthropicModelList(await readText(response.body), name);
    },
  };
}

function readErrorOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'error' in body ? body.error : body;
  } catch {
    // Not JSON: a proxy's page or nothing at all. The status alone has to do.
    return undefined;
  }
}
