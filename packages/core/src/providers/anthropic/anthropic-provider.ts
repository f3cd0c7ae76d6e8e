import { isRecord, parseReturned, readCount, type Unchecked } from '../../foundation/parse.ts';
import { readErrorText, readText } from '../../foundation/transport.ts';
import type { NativeRequest } from '../../wire/native-request.ts';
import { hasBatches } from '../kit/batch-calls.ts';
import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import {
  describeProvider,
  type ProviderOptions,
  toModelSegment,
  toOpaqueUserId,
  toUpstream,
  type Upstream,
} from '../kit/to-upstream.ts';
import { toRefusalError } from '../kit/upstream-error.ts';
import type { ChatCall, Provider, WholeProvider } from '../provider.ts';
import { createAnthropicBatches } from './anthropic-batches.ts';
import { readAnthropicModelList, readModelTraits } from './models.ts';
import { readAnthropicErrorBody } from './read-anthropic-error.ts';
import { toAnthropicRequest, toMaxTokens, toServiceTier } from './request/to-anthropic-request.ts';
import { withDataAlone } from './request/with-data-alone.ts';
import { withMarkedEnd } from './request/with-marked-end.ts';
import { createAnthropicCompletionReader } from './response/anthropic-completion-reader.ts';

/** `headers` may hold `anthropic-beta`, and may replace `anthropic-version`. */
export type AnthropicProviderSettings = ProviderOptions;

/** The version of the wire that this folder implements. */
const WIRE_VERSION = '2023-06-01';
/** The most that one page of the model list may hold, and more models than there are. */
const LIST_LIMIT = 1000;

/** The version of the wire that Vertex AI has, which stands in the body there. */
const VERTEX_VERSION = 'vertex-2023-10-16';

/** Creates a provider for Anthropic's Messages wire. */
export function createAnthropicProvider(settings: AnthropicProviderSettings): Provider {
  const isVertex = settings.platform === 'vertex';
  const upstream = toUpstream(settings, {
    keyHeader: 'x-api-key',
    ...(!isVertex && { headers: { 'anthropic-version': WIRE_VERSION } }),
  });
  const chatUrl = `${upstream.baseUrl}/messages`;
  const wire: ChatWire = {
    name: 'anthropic',
    toUrl: () => chatUrl,
    nativeForm: 'messages',
    toHeaders: (call) =>
      call.native?.form === 'messages' ? toNativeHeaders(call.native, upstream.headers) : undefined,
    toBody(call) {
      if (call.native?.form === 'messages') return toNativeBody(call, call.native);
      const { user } = call.request;
      if (!user) return toAnthropicRequest(call);
      return toOpaqueUserId(settings.slug, user).then((userId) => toAnthropicRequest(call, userId));
    },
    createReader: createAnthropicCompletionReader,
    readError: readAnthropicErrorBody,
    toolCallPrefix: 'toolu',
    endsWithDone: false,
    listUrl: `${upstream.baseUrl}/models?limit=${LIST_LIMIT}`,
    readModels: readAnthropicModelList,
  };
  if (isVertex) return createVertexProvider(settings, upstream, wire);
  return {
    ...describeProvider(settings),
    discoverModels: settings.discoverModels,
    prefillOf: (providerModel) => (readModelTraits(providerModel).takesPrefill ? 'continues' : null),
    cacheTtlsOf: () => ['5m', '1h'],
    ...createChatWire(upstream, wire),
    ...(hasBatches(settings, 'api.anthropic.com') && { batches: createAnthropicBatches(upstream, wire, settings) }),
    countTokens: (call) => countAnthropicTokens(upstream, call),
  };
}

/** The same wire at Vertex AI: the model is a part of the address, and the version one of the body. */
function createVertexProvider(settings: AnthropicProviderSettings, upstream: Upstream, wire: ChatWire): WholeProvider {
  const { chat, chatWhole } = createChatWire(upstream, {
    ...wire,
    toUrl: ({ providerModel, stream }) =>
      `${upstream.baseUrl}/models/${toModelSegment(providerModel)}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
    toHeaders: ({ native }) => {
      if (native?.form !== 'messages') return undefined;
      const { 'anthropic-version': _version, ...headers } = toNativeHeaders(native, upstream.headers);
      return headers;
    },
    async toBody(call) {
      const { model: _model, ...body } = await wire.toBody(call);
      return { anthropic_version: VERTEX_VERSION, ...withMarkedEnd(withDataAlone(body)) };
    },
  });
  return {
    ...describeProvider(settings),
    putsModelInPath: true,
    prefillOf: (providerModel) => (readModelTraits(providerModel).takesPrefill ? 'continues' : null),
    cacheTtlsOf: () => ['5m', '1h'],
    chat,
    chatWhole,
  };
}

/** Fields of a request that counting refuses: what a prompt consists of is all it takes. */
const REFUSED: readonly string[] = [
  'max_tokens',
  'stream',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
];

/** Asks upstream for the number of tokens of a prompt; undefined when it names none. Throws as a call does. */
export async function countAnthropicTokens(upstream: Upstream, call: ChatCall): Promise<number | undefined> {
  const { native, timeouts } = call;
  const isNative = native?.form === 'messages';
  const whole = isNative ? toNativeBody(call, native) : toAnthropicRequest(call);
  const body = Object.fromEntries(Object.entries(whole).filter(([name]) => !REFUSED.includes(name)));
  const response = await upstream.transport.send({
    method: 'POST',
    url: `${upstream.baseUrl}/messages/count_tokens`,
    headers: {
      ...upstream.headers,
      'content-type': 'application/json',
      ...(isNative && toNativeHeaders(native, upstream.headers)),
    },
    body: JSON.stringify(body),
    signal: call.signal,
    headersTimeoutMs: timeouts.headersMs,
    idleTimeoutMs: timeouts.idleMs,
    totalTimeoutMs: timeouts.headersMs,
  });
  if (response.status !== 200) {
    throw toRefusalError(upstream, readAnthropicErrorBody, response, await readErrorText(response.body));
  }
  const counted = parseReturned(await readText(response.body), upstream.name);
  return isRecord(counted) ? readCount(counted['input_tokens']) : undefined;
}

/** Fields of the gateway in this form, which no upstream knows, and those that are set for the upstream below. */
const OWN_FIELDS: readonly string[] = [
  ['model', 'stream', 'max_tokens', 'models', 'fallbacks', 'provider', 'plugins', 'route', 'preset', 'transforms'],
  ['debug', 'trace', 'user', 'session_id', 'stop_server_tools_when'],
].flat();

/** Tiers that the gateway has in this form beyond the wire's own. Any other is for upstream to judge. */
const TIERS_BEYOND: ReadonlySet<unknown> = new Set(['default', 'flex', 'priority', 'scale', 'fast']);

/** The body as it came in, in the order of its fields, for the upstream's own model. */
export function toNativeBody(call: ChatCall, { body }: NativeRequest): Record<string, unknown> {
  const maxTokens = toMaxTokens(call, readModelTraits(call.providerModel), { kind: 'unsaid' });
  const sent: Record<string, unknown> = { model: call.providerModel, max_tokens: maxTokens };
  for (const [name, value] of Object.entries(body)) if (!OWN_FIELDS.includes(name)) sent[name] = value;
  sent['messages'] = withoutForeignReasoning(body['messages']);
  const { service_tier: tier } = body;
  if (TIERS_BEYOND.has(tier)) {
    const named = toServiceTier(tier);
    if (named === undefined) delete sent['service_tier'];
    else sent['service_tier'] = named;
  }
  if (call.stream) sent['stream'] = true;
  return sent;
}

/** The list itself where no block of it is reasoning of another provider's, whose signature would be refused. */
function withoutForeignReasoning(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasForeignReasoning)) return messages;
  return messages.flatMap((message: unknown) => {
    if (!hasForeignReasoning(message)) return [message];
    const content = message.content.filter((block) => !isForeign(block));
    // A turn without content is refused, unless it is the last.
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

const hasForeignReasoning = (message: unknown): message is { content: unknown[] } =>
  isRecord(message) && Array.isArray(message['content']) && message['content'].some(isForeign);

const isForeign = (block: unknown): boolean => isRecord(block) && block['type'] === 'thinking' && !isSigned(block);

/** A signature of this wire is base64; the gateway's own, of other providers' reasoning, begin with a word and a colon. */
const isSigned = ({ signature }: Unchecked): boolean =>
  typeof signature === 'string' && signature !== '' && !signature.includes(':');

/** The headers that go with a body: the caller's version, and the betas of both the caller and the configuration. */
export function toNativeHeaders(
  { headers }: NativeRequest,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const betas = [configured['anthropic-beta'], headers['anthropic-beta']].filter((list) => list !== undefined);
  return { ...headers, ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }) };
}
