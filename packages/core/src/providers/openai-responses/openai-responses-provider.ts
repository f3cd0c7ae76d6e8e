import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { openReasoning } from '../../wire/chat-chunk.ts';
import { isSupported } from '../../wire/chat-parameters.ts';
import type { NativeRequest } from '../../wire/native-request.ts';
import { isOwnItemId } from '../../wire/response-items.ts';
import { hasBatches } from '../kit/batch-calls.ts';
import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import { describeProvider, type ProviderOptions, toOpaqueUserId, toUpstream } from '../kit/to-upstream.ts';
import { readModelList } from '../openai/models.ts';
import { createOpenAiBatches } from '../openai/openai-batches.ts';
import { toGatewayFields } from '../openai/request/to-openai-request.ts';
import type { ChatCall, Provider } from '../provider.ts';
import { readResponsesRefusal } from './read-responses-error.ts';
import { toReasoningItems } from './request/to-reasoning-items.ts';
import {
  mayReason,
  toResponsesReasoning,
  toResponsesRequest,
  toServiceTier,
  toVerbosity,
  withEncryptedReasoning,
} from './request/to-responses-request.ts';
import { createResponsesCompletionReader } from './response/responses-completion-reader.ts';

export interface OpenAiResponsesProviderSettings extends ProviderOptions {
  /** Added to every address, e.g. Azure's `api-version`. */
  readonly query?: Readonly<Record<string, string>> | undefined;
}

/** Creates a provider for OpenAI's Responses wire. */
export function createOpenAiResponsesProvider(settings: OpenAiResponsesProviderSettings): Provider {
  const upstream = toUpstream(settings, { keyHeader: 'authorization', keyScheme: 'Bearer', query: settings.query });
  const query = new URLSearchParams(settings.query).toString();
  const toUrl = (path: string): string => `${upstream.baseUrl}${path}${query === '' ? '' : `?${query}`}`;
  const url = toUrl('/responses');
  const wire = toResponsesWire({ slug: settings.slug, toUrl: () => url, listUrl: toUrl('/models') });
  return {
    ...describeProvider(settings),
    discoverModels: settings.discoverModels,
    ...createChatWire(upstream, wire),
    ...(hasBatches(settings, 'api.openai.com') && {
      batches: createOpenAiBatches(upstream, { ...settings, toUrl, wireOf: () => wire }),
    }),
  };
}

interface ResponsesWireSettings extends Pick<ChatWire, 'toUrl' | 'listUrl'> {
  readonly slug: string;
}

/** OpenAI's Responses wire, for a provider that speaks it. */
export function toResponsesWire({ slug, toUrl, listUrl }: ResponsesWireSettings): ChatWire {
  return {
    name: 'openai-responses',
    toUrl,
    nativeForm: 'responses',
    toBody(call) {
      const { native } = call;
      const toBody = (userId?: string): Record<string, unknown> => {
        const body =
          native?.form === 'responses' ? toNativeBody(call, native, userId) : toResponsesRequest(call, userId);
        return call.onward === undefined ? body : { ...body, ...toGatewayFields(call) };
      };
      const { user } = call.request;
      return user ? toOpaqueUserId(slug, user).then(toBody) : toBody();
    },
    createReader: createResponsesCompletionReader,
    readError: readResponsesRefusal,
    endsWithDone: false,
    listUrl,
    readModels: readModelList,
  };
}

/** Fields of the gateway in this form, which no upstream knows, and those that are set for the upstream below. */
const OWN_FIELDS: readonly string[] = [
  ['model', 'stream', 'store', 'models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace'],
  ['user', 'session_id', 'stop_server_tools_when', 'cache_control', 'image_config', 'modalities'],
  // Sampling that this wire does not have.
  ['top_k', 'frequency_penalty', 'presence_penalty'],
].flat();

/** Fields that an endpoint may not support. */
const SAMPLING: readonly string[] = ['temperature', 'top_p', 'top_logprobs'];

/** Members of `reasoning` that are the gateway's own. */
const OWN_REASONING = ['enabled', 'max_tokens', 'exclude'];

/** Tools that the gateway runs have its prefix, or that of the public API. */
const OWN_TOOL = /^(service|openrouter):/;

/** The body as it came in, in the order of its fields, for the upstream's own model, which is to keep nothing. */
export function toNativeBody(call: ChatCall, { body }: NativeRequest, userId?: string): Record<string, unknown> {
  const sent: Record<string, unknown> = { model: call.providerModel };
  for (const [name, value] of Object.entries(body)) {
    const isUnsupported = SAMPLING.includes(name) && isSupported(call, name) === false;
    if (!OWN_FIELDS.includes(name) && !isUnsupported) sent[name] = value;
  }
  sent['input'] = toInput(body['input']);
  if (Array.isArray(body['tools'])) sent['tools'] = body['tools'].filter((tool: unknown) => !isOwnTool(tool));
  const { reasoning } = body;
  if (isRecord(reasoning) && OWN_REASONING.some((name) => name in reasoning)) {
    sent['reasoning'] = { ...withoutFields(reasoning, OWN_REASONING), ...toResponsesReasoning(call) };
  }
  // A gateway knows the gateway's own words.
  if (call.onward === undefined) renameValues(sent);
  if (userId !== undefined) sent['safety_identifier'] ??= userId;
  if (!call.stream) delete sent['stream_options'];
  sent['store'] = false;
  // What is kept here is sent back, with its reasoning: upstream keeps none.
  if (body['store'] === true && mayReason(call)) sent['include'] = withEncryptedReasoning(body['include']);
  if (call.stream) sent['stream'] = true;
  return sent;
}

/** Says values that the gateway has beyond this wire in the wire's own words. */
function renameValues(sent: Record<string, unknown>): void {
  const { service_tier: tier, text } = sent;
  if (tier !== undefined) sent['service_tier'] = toServiceTier(tier);
  if (isRecord(text) && 'verbosity' in text) sent['text'] = { ...text, verbosity: toVerbosity(text['verbosity']) };
}

const isOwnTool = (tool: unknown): boolean =>
  isRecord(tool) && typeof tool['type'] === 'string' && OWN_TOOL.test(tool['type']);

function toInput(input: unknown): unknown {
  return Array.isArray(input) ? (input as unknown[]).flatMap(toItem) : input;
}

/** An item without what upstream did not make: ids of the gateway's own, and reasoning of other providers. */
function toItem(item: unknown): unknown[] {
  if (!isRecord(item)) return [item];
  if (item['type'] === 'reasoning') return toReasoning(item);
  return [isOwnItemId(item['id']) ? withoutFields(item, ['id']) : item];
}

/** Upstream keeps nothing: where an item does not hold its reasoning, there is none behind its id. */
function toReasoning(item: Unchecked): unknown[] {
  const { id, content, encrypted_content: sealed } = item;
  if (typeof sealed === 'string' && sealed !== '') {
    const details = openReasoning(sealed);
    if (details !== null) return toReasoningItems(details);
    return [isOwnItemId(id) ? withoutFields(item, ['id']) : item];
  }
  const isOpen = Array.isArray(content) && content.length > 0 && !isOwnItemId(id);
  return isOpen ? [withoutFields(item, ['id'])] : [];
}

const withoutFields = (object: Unchecked, names: readonly string[]): Unchecked =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
