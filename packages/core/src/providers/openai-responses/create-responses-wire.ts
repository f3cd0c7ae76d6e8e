import { type ChatWire, createChatWire } from '../kit/create-chat-wire.ts';
import { toOpaqueUserId } from '../kit/to-opaque-user-id.ts';
import type { Upstream } from '../kit/to-upstream.ts';
import { readModelList } from '../openai/read-model-list.ts';
import { toGatewayFields } from '../openai/request/to-gateway-fields.ts';
import { readResponsesRefusal } from './read-responses-error.ts';
import { toNativeBody } from './request/to-native-body.ts';
import { toResponsesRequest } from './request/to-responses-request.ts';
import { createResponsesCompletionReader } from './response/responses-completion-reader.ts';

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
