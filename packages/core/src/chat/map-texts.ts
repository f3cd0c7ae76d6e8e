import { mapList, type RequestText, toVisitor } from '../calls/texts.ts';
import { nativeOf } from '../wire/chat-chunk.ts';
import { TEXT_FIELDS } from '../wire/chat-parameters.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { CHAT_PLACES, placeOfMessage } from './chat-places.ts';
import { mapBothForms } from './map-native-texts.ts';

/** The texts of a chat request, in its native form, too. Whatever is not changed stays the same object. */
export function mapChatTexts(
  request: ChatCompletionRequest,
  change: (text: RequestText) => string,
): ChatCompletionRequest {
  const native = nativeOf(request);
  return native === undefined ? mapTexts(request, change) : mapBothForms(request, native, { change, mapTexts });
}

function mapTexts(request: ChatCompletionRequest, change: (text: RequestText) => string): ChatCompletionRequest {
  let changed = request;
  for (const field of TEXT_FIELDS) {
    const value = request[field];
    if (value === undefined || value === null) continue;
    const mapped =
      field === 'messages' ? mapMessages(request.messages, change) : CHAT_PLACES[field](value, toVisitor(change));
    if (mapped !== value) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

type Messages = ChatCompletionRequest['messages'];

function mapMessages(messages: Messages, change: (text: RequestText) => string): Messages {
  return mapList(messages, (message) => {
    const { role } = message;
    return placeOfMessage(role)(message, toVisitor(change, role)) as typeof message;
  });
}
