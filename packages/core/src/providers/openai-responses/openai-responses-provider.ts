import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import {
  describeProvider,
  type ProviderOptions,
  toOpaqueUserId,
  toUpstream,
  type Upstream,
} from '../kit/to-upstream.ts';
import { readModelList } from '../openai/models.ts';
import { toGatewayFields } from '../openai/request/to-openai-request.ts';
import type { Provider } from '../provider.ts';
import { readResponsesRefusal } from './read-responses-error.ts';
import { toNativeBody } from './request/to-native-body.ts';
import { toResponsesRequest } from './request/to-responses-request.ts';
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
  const wire = createResponsesWire(upstream, { slug: settings.slug, toUrl: () => url, listUrl: toUrl('/models') });
  return { ...describeProvider(settings), discoverModels: settings.discoverModels, ...wire };
}

interface ResponsesWireSettings extends Pick<ChatWire, 'toUrl' | 'listUrl'> {
  readonly slug: string;
}

/** Makes the chat members of a provider that speaks OpenAI's Responses wire. */
export function createResponsesWire(
  upstream: Upstream,
  { slug, toUrl, listUrl }: ResponsesWireSettings,
): ReturnType<typeof createChatWire> {
  return createChatWire(upstream, {
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
  });
}
