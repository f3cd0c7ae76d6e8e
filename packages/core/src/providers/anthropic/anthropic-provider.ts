import { createChatWire } from '../kit/create-chat-wire.ts';
import { describeProvider, type ProviderOptions, toOpaqueUserId, toUpstream } from '../kit/to-upstream.ts';
import type { Provider } from '../provider.ts';
import { countAnthropicTokens } from './count-anthropic-tokens.ts';
import { readAnthropicModelList, readModelTraits } from './models.ts';
import { readAnthropicErrorBody } from './read-anthropic-error.ts';
import { toAnthropicRequest } from './request/to-anthropic-request.ts';
import { toNativeBody, toNativeHeaders } from './request/to-native-body.ts';
import { createAnthropicCompletionReader } from './response/anthropic-completion-reader.ts';

/** `headers` may hold `anthropic-beta`, and may replace `anthropic-version`. */
export type AnthropicProviderSettings = ProviderOptions;

/** The version of the wire that this folder implements. */
const WIRE_VERSION = '2023-06-01';
/** The most that one page of the model list may hold, and more models than there are. */
const LIST_LIMIT = 1000;

/** Creates a provider for Anthropic's Messages wire. */
export function createAnthropicProvider(settings: AnthropicProviderSettings): Provider {
  const upstream = toUpstream(settings, {
    keyHeader: 'x-api-key',
    headers: { 'anthropic-version': WIRE_VERSION },
  });
  const chatUrl = `${upstream.baseUrl}/messages`;
  const wire = createChatWire(upstream, {
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
  });
  return {
    ...describeProvider(settings),
    discoverModels: settings.discoverModels,
    prefillOf: (providerModel) => (readModelTraits(providerModel).takesPrefill ? 'continues' : null),
    ...wire,
    countTokens: (call) => countAnthropicTokens(upstream, call),
  };
}
