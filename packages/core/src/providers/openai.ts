import { GatewayError } from '../errors.ts';
import type { ChatChunk } from '../schemas/chat-chunk.ts';
import { iterateOne, openLate } from '../streaming/open-late.ts';
import { readText } from '../streaming/read-text.ts';
import type { Transport, TransportResponse } from '../transport.ts';
import { toCallLimits } from './call-limits.ts';
import { createOpenAiAnswerReader, readErrorFields } from './openai/openai-answer-reader.ts';
import { COMMON_DIALECT, type OpenAiDialect } from './openai/openai-dialect.ts';
import { toOpenAiRequest } from './openai/to-openai-request.ts';
import {
  type ChatCall,
  type DataPolicy,
  type DiscoveredModel,
  type Provider,
  UNKNOWN_DATA_POLICY,
} from './provider.ts';
import { isBlank, isDoneMarker, readEvents } from './read-events.ts';
import { readRetryAfterSeconds, toUpstreamError } from './upstream-error.ts';

export interface OpenAiProviderSettings {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Includes the version segment: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every call, e.g. an organisation's id. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  readonly dialect?: OpenAiDialect | undefined;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
}

/** No error body worth reading is longer; a proxy's page may be. */
const MAX_ERROR_BYTES = 64 * 1024;
const LIST_TIMEOUT_MS = 10_000;

/** Creates a provider that speaks OpenAI's chat completions wire, as most hosts and local servers do. */
export function createOpenAiProvider(settings: OpenAiProviderSettings): Provider {
  const name = settings.name ?? settings.slug;
  const dialect = settings.dialect ?? COMMON_DIALECT;
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const secrets = [settings.apiKey ?? '', ...Object.values(settings.headers ?? {})].filter((value) => value.length > 3);
  const headers: Record<string, string> = {
    ...settings.headers,
    ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
  };
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const fail = async (response: TransportResponse): Promise<GatewayError> => {
    const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '');
    return toUpstreamError({
      providerName: name,
      secrets,
      retryAfterSeconds: readRetryAfterSeconds(response.headers, Date.parse(response.headers['date'] ?? '')),
      ...readErrorBody(text),
      status: response.status,
    });
  };

  const openAnswer = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    const response = await settings.transport.send({
      method: 'POST',
      url: `${baseUrl}/chat/completions`,
      headers: chatHeaders,
      body: JSON.stringify(toOpenAiRequest(call, dialect)),
      ...toCallLimits(call),
    });
    if (response.status !== 200) throw await fail(response);
    const reader = createOpenAiAnswerReader({
      providerName: name,
      secrets,
      makeId: (number) => `call_${call.generationId.slice(-12)}_${number}`,
    });
    const contentType = response.headers['content-type']?.toLowerCase() ?? '';
    if (contentType.startsWith('text/html')) {
      throw new GatewayError('provider_unavailable', `${name} returned a web page instead of an answer`);
    }
    // A server that ignores `stream` answers whole all the same; that is an answer, too.
    const isStream = call.stream && !contentType.startsWith('application/json');
    if (isStream) {
      const readEvent = (data: string): ChatChunk | 'done' | undefined =>
        isDoneMarker(data) ? 'done' : isBlank(data) ? undefined : reader.readEvent(data);
      return readEvents(response.body, readEvent, name);
    }
    return iterateOne([reader.readWhole(await readText(response.body))]);
  };

  return {
    slug: settings.slug,
    name,
    dataPolicy: settings.dataPolicy ?? UNKNOWN_DATA_POLICY,
    region: settings.region,
    byok: settings.byok,
    discoverModels: settings.discoverModels,

    chat: (call) => openLate(() => openAnswer(call)),

    async listModels(signal) {
      const response = await settings.transport.send({
        method: 'GET',
        url: `${baseUrl}/models`,
        headers,
        signal,
        headersTimeoutMs: LIST_TIMEOUT_MS,
        idleTimeoutMs: LIST_TIMEOUT_MS,
        totalTimeoutMs: LIST_TIMEOUT_MS,
      });
      if (response.status !== 200) throw await fail(response);
      return readModelList(await readText(response.body), name);
    },
  };
}

function readErrorBody(text: string): ReturnType<typeof readErrorFields> {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return readErrorFields('error' in body ? body.error : body);
  } catch {
    // Not JSON: a proxy's page or nothing at all. The status alone has to do.
  }
  return { status: null };
}

function readModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list that is not JSON`, { cause });
  }
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  if (!Array.isArray(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "data"`);
  }
  return data.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('id' in entry) || typeof entry.id !== 'string') return [];
    const { created, context_length, max_model_len } = entry as Record<string, unknown>;
    const contextLength = [context_length, max_model_len].find((value) => Number.isSafeInteger(value));
    return [
      {
        id: entry.id,
        ...(Number.isSafeInteger(created) && { created: created as number }),
        ...(contextLength !== undefined && { contextLength: contextLength as number }),
      },
    ];
  });
}
