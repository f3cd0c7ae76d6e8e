import { GatewayError } from '../../foundation/errors.ts';
import type { ChatChunk } from '../../wire/chat/chat-chunk.ts';
import { iterateOne, createLazyIterable } from '../../foundation/lazy-iterable.ts';
import { readErrorText, readText } from '../../foundation/read-text.ts';
import type { Transport, TransportResponse } from '../../foundation/transport.ts';
import { toCallLimits } from '../kit/call-limits.ts';
import { createGoogleAnswerReader } from './google-answer-reader.ts';
import { findGoogleError, readGoogleError } from './read-google-error.ts';
import { toGoogleRequest } from './to-google-request.ts';
import { toModelPath } from './to-model-path.ts';
import { isObject, objectsOf } from './unchecked.ts';
import { createGoogleVideos } from './google-videos.ts';
import {
  type ChatCall,
  type DataPolicy,
  type DiscoveredModel,
  type Provider,
  UNKNOWN_DATA_POLICY,
} from '../provider.ts';
import { isBlank, isDoneMarker, readEvents } from '../kit/read-events.ts';
import { readRetryAfterSeconds } from '../../foundation/read-retry-after.ts';
import { toShownBody } from '../kit/to-shown-body.ts';
import { toUpstreamError } from '../kit/upstream-error.ts';

export interface GoogleProviderSettings {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Includes the version segment: `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  /** For pictures and videos at addresses that callers and upstream name. Without it there are no videos. */
  readonly downloads?: Transport | undefined;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
}

const LIST_TIMEOUT_MS = 10_000;
/** The most that one page of the list may hold; far more than there are. */
const LIST_PAGE_SIZE = 1000;

/** Creates a provider that speaks Google's Gemini wire (`generateContent`). The key travels in a header, never in a URL. */
export function createGoogleProvider(settings: GoogleProviderSettings): Provider {
  const name = settings.name ?? settings.slug;
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const secrets = [settings.apiKey ?? '', ...Object.values(settings.headers ?? {})].filter((value) => value.length > 3);
  const headers: Record<string, string> = {
    ...settings.headers,
    ...(settings.apiKey !== undefined && { 'x-goog-api-key': settings.apiKey }),
  };
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const fail = async (response: TransportResponse): Promise<GatewayError> => {
    const text = await readErrorText(response.body);
    const facts = readGoogleError(findGoogleError(parseJson(text)), response.status);
    const named = readRetryAfterSeconds(response.headers, Date.parse(response.headers['date'] ?? ''));
    return toUpstreamError({
      providerName: name,
      secrets,
      ...facts,
      retryAfterSeconds: named ?? facts.retryAfterSeconds,
    });
  };

  const openAnswer = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    const method = call.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const body = toGoogleRequest(call);
    call.onUpstreamBody?.(toShownBody(body, secrets));
    const response = await settings.transport.send({
      method: 'POST',
      url: `${baseUrl}/${toModelPath(call.providerModel)}:${method}`,
      headers: chatHeaders,
      body: JSON.stringify(body),
      ...toCallLimits(call),
    });
    if (response.status !== 200) throw await fail(response);
    const reader = createGoogleAnswerReader({
      providerName: name,
      secrets,
      makeId: (number) => `call_${call.generationId.slice(-12)}_${number}`,
    });
    const contentType = response.headers['content-type']?.toLowerCase() ?? '';
    if (contentType.startsWith('text/html')) {
      throw new GatewayError('provider_unavailable', `${name} returned a web page instead of an answer`);
    }
    // A proxy that drops the query answers whole; that is an answer, too.
    const isStream = call.stream && !contentType.startsWith('application/json');
    if (isStream) {
      const readEvent = (data: string): ChatChunk | 'done' | undefined =>
        isDoneMarker(data) ? 'done' : isBlank(data) ? undefined : reader.readEvent(data);
      return readEvents(response.body, readEvent, name, reader.readEnd);
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

    ...(settings.downloads !== undefined && {
      video: createGoogleVideos({
        name,
        baseUrl,
        headers,
        secrets,
        transport: settings.transport,
        downloads: settings.downloads,
      }),
    }),
    chat: (call) => createLazyIterable(() => openAnswer(call)),

    async listModels(signal) {
      const response = await settings.transport.send({
        method: 'GET',
        url: `${baseUrl}/models?pageSize=${LIST_PAGE_SIZE}`,
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page or nothing at all.
    return undefined;
  }
}

/** Lists the models that can chat. */
function readModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseJson(text);
  if (!isObject(body) || !Array.isArray(body['models'])) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "models"`);
  }
  return objectsOf(body['models']).flatMap((model) => {
    const { name, inputTokenLimit, supportedGenerationMethods: methods } = model;
    if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
    const id = name.replace(/^models\//, '');
    return [{ id, ...(Number.isSafeInteger(inputTokenLimit) && { contextLength: inputTokenLimit as number }) }];
  });
}
