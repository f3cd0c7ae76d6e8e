import { GatewayError } from '../../foundation/errors.ts';
import type { ChatChunk } from '../../wire/chat/chat-chunk.ts';
import { iterateOne, createLazyIterable } from '../../foundation/lazy-iterable.ts';
import { readErrorText, readText, toText } from '../../foundation/read-text.ts';
import { sendWhole } from '../../foundation/send-whole.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../foundation/transport.ts';
import { toCallLimits } from '../kit/call-limits.ts';
import { createOpenAiAnswerReader, type OpenAiAnswerReader } from './openai-answer-reader.ts';
import { COMMON_DIALECT, type OpenAiDialect } from './openai-dialect.ts';
import { readModelList } from './read-model-list.ts';
import { readErrorBody } from './read-openai-error.ts';
import { toOpenAiRequest } from './to-openai-request.ts';
import { createGatewayVideos } from '../gateway/gateway-videos.ts';
import { createOpenAiVideos } from './openai-videos.ts';
import { type ChatCall, type DataPolicy, type Provider, UNKNOWN_DATA_POLICY } from '../provider.ts';
import { isBlank, isDoneMarker, readEvents } from '../kit/read-events.ts';
import { readRetryAfterSeconds } from '../../foundation/read-retry-after.ts';
import { toShownBody } from '../kit/to-shown-body.ts';
import { toUpstreamError } from '../kit/upstream-error.ts';

export interface OpenAiProviderSettings {
  readonly slug: string;
  /** Default: the slug. */
  readonly name?: string | undefined;
  /** Includes the version segment: `https://api.openai.com/v1`. `{model}` in it becomes the name of the model. */
  readonly baseUrl: string;
  /** Added to every address, e.g. Azure's `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly apiKey?: string | undefined;
  /** Sent with every call, e.g. an organisation's id. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: Transport;
  readonly dialect?: OpenAiDialect | undefined;
  readonly dataPolicy?: DataPolicy | undefined;
  readonly region?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly discoverModels?: boolean | undefined;
  /** Whether it has a list of models. Default: yes, unless its address differs by model. */
  readonly listsModels?: boolean | undefined;
}

type AnswerHead = Pick<TransportResponse, 'status' | 'headers'>;

const MODEL_PLACE = '{model}';

const LIST_TIMEOUT_MS = 10_000;

/** Creates a provider that speaks OpenAI's chat completions wire, as most hosts and local servers do. */
export function createOpenAiProvider(settings: OpenAiProviderSettings): Provider {
  const name = settings.name ?? settings.slug;
  const dialect = settings.dialect ?? COMMON_DIALECT;
  const baseUrl = settings.baseUrl.replace(/\/+$/, '');
  const isAddressPerModel = baseUrl.includes(MODEL_PLACE);
  const query = new URLSearchParams(settings.query).toString();
  const toUrl = (path: string): string => `${baseUrl}${path}${query === '' ? '' : `?${query}`}`;
  const chatUrl = toUrl('/chat/completions');
  const secrets = [settings.apiKey ?? '', ...Object.values(settings.headers ?? {})].filter((value) => value.length > 3);
  const headers: Record<string, string> = {
    ...settings.headers,
    ...(settings.apiKey !== undefined && {
      [dialect.keyHeader]: dialect.keyHeader === 'authorization' ? `Bearer ${settings.apiKey}` : settings.apiKey,
    }),
  };
  const chatHeaders = { ...headers, 'content-type': 'application/json' };

  const toError = ({ status, headers: answered }: AnswerHead, text: string): GatewayError =>
    toUpstreamError({
      providerName: name,
      secrets,
      retryAfterSeconds: readRetryAfterSeconds(answered, Date.parse(answered['date'] ?? '')),
      ...readErrorBody(text),
      status,
    });
  const refuseWebPage = (head: AnswerHead): void => {
    if (!typeOf(head).startsWith('text/html')) return;
    throw new GatewayError('provider_unavailable', `${name} returned a web page instead of an answer`);
  };

  const toRequest = (call: ChatCall): TransportRequest => {
    const body = toOpenAiRequest(call, dialect);
    call.onUpstreamBody?.(toShownBody(body, secrets));
    return {
      ...toCallLimits(call),
      method: 'POST',
      url: isAddressPerModel ? chatUrl.replace(MODEL_PLACE, encodeURIComponent(call.providerModel)) : chatUrl,
      headers: chatHeaders,
      body: JSON.stringify(body),
    };
  };

  const createReader = ({ generationId }: ChatCall): OpenAiAnswerReader =>
    createOpenAiAnswerReader({
      providerName: name,
      secrets,
      hasThinkTags: dialect.hasThinkTags,
      makeId: (number) => `call_${generationId.slice(-12)}_${number}`,
    });

  const chatWhole = (call: ChatCall): Promise<ChatChunk> =>
    sendWhole(settings.transport, toRequest(call)).then((answer) => {
      if (answer.status !== 200) throw toError(answer, toText(answer.bytes));
      refuseWebPage(answer);
      return createReader(call).readWhole(toText(answer.bytes));
    });

  const openAnswer = async (call: ChatCall): Promise<AsyncIterable<readonly ChatChunk[]>> => {
    if (!call.stream) return iterateOne([await chatWhole(call)]);
    const response = await settings.transport.send(toRequest(call));
    if (response.status !== 200) throw toError(response, await readErrorText(response.body));
    refuseWebPage(response);
    const reader = createReader(call);
    // A server that ignores `stream` answers whole all the same; that is an answer, too.
    if (typeOf(response).startsWith('application/json')) {
      return iterateOne([reader.readWhole(await readText(response.body))]);
    }
    const readEvent = (data: string): ChatChunk | 'done' | undefined =>
      isDoneMarker(data) ? 'done' : isBlank(data) ? undefined : reader.readEvent(data);
    return readEvents(response.body, readEvent, name);
  };

  const listModels: Provider['listModels'] = async (signal) => {
    const response = await settings.transport.send({
      method: 'GET',
      url: toUrl('/models'),
      headers,
      signal,
      headersTimeoutMs: LIST_TIMEOUT_MS,
      idleTimeoutMs: LIST_TIMEOUT_MS,
      totalTimeoutMs: LIST_TIMEOUT_MS,
    });
    if (response.status !== 200) throw toError(response, await readErrorText(response.body));
    return readModelList(await readText(response.body), name);
  };

  return {
    slug: settings.slug,
    name,
    dataPolicy: settings.dataPolicy ?? UNKNOWN_DATA_POLICY,
    region: settings.region,
    byok: settings.byok,
    discoverModels: settings.discoverModels,

    video: (dialect.videos === 'gateway' ? createGatewayVideos : createOpenAiVideos)({
      name,
      baseUrl,
      query,
      headers,
      secrets,
      transport: settings.transport,
    }),
    chat: (call) => createLazyIterable(() => openAnswer(call)),
    chatWhole,

    ...((settings.listsModels ?? !isAddressPerModel) && { listModels }),
  };
}

function typeOf({ headers }: AnswerHead): string {
  return headers['content-type']?.toLowerCase() ?? '';
}
