import { mapList, mapStrings, toVisitor, mapRecord, type RequestText, type Visit } from '../calls/text-map.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { RECORD_FIELDS, TEXT_FIELDS } from '../wire/chat/chat-parameters.ts';
import { nativeOf } from '../wire/chat/native-request.ts';
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
    const mapped = field === 'messages' ? mapMessages(request.messages, change) : mapStrings(value, toVisitor(change));
    if (mapped !== value) changed = { ...changed, [field]: mapped };
  }
  for (const field of RECORD_FIELDS) {
    const mapped = mapRecord(request[field], toVisitor(change));
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

function mapMessages(
  messages: ChatCompletionRequest['messages'],
  change: (text: RequestText) => string,
): ChatCompletionRequest['messages'] {
  return mapList(messages, (message) => {
    const { role } = message;
    let isFirstPart = true;
    const visit: Visit = (text, field) => {
      const isContinued = field === 'text' && !isFirstPart;
      if (field === 'text') isFirstPart = false;
      return change({ text, role, isContinued, isJson: field === 'arguments' || (role === 'tool' && isJson(text)) });
    };
    return mapStrings(message, visit) as typeof message;
  });
}

/** Tools return prose or JSON. */
function isJson(text: string): boolean {
  if (!text.includes('\\') || !/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
