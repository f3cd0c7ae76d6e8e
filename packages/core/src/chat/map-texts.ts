import { mapList, mapStrings, toVisitor, mapRecord, type RequestText, type Visit } from '../calls/text-map.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';

/**
 * Fields of a request that a model reads or a record contains. Other fields are switches, numbers and names of the
 * gateway.
 */
const FIELDS = [
  'messages',
  'tools',
  'response_format',
  'prediction',
  'stop',
  'plugins',
  'image_config',
  'user',
  'session_id',
  'prompt_cache_key',
] as const satisfies readonly (keyof ChatCompletionRequest)[];

/** The caller's own records: their keys are texts, too. */
const RECORDS = ['metadata', 'trace'] as const satisfies readonly (keyof ChatCompletionRequest)[];

/** The texts of a chat request. Whatever is not changed stays the same object. */
export function mapChatTexts(
  request: ChatCompletionRequest,
  change: (text: RequestText) => string,
): ChatCompletionRequest {
  let changed = request;
  for (const field of FIELDS) {
    const value = request[field];
    if (value === undefined || value === null) continue;
    const mapped = field === 'messages' ? mapMessages(request.messages, change) : mapStrings(value, toVisitor(change));
    if (mapped !== value) changed = { ...changed, [field]: mapped };
  }
  for (const field of RECORDS) {
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
