import { mapStrings, type RequestText } from '../calls/text-map.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { type NativeRequest, withNative } from '../wire/chat/native-request.ts';

type Change = (text: RequestText) => string;
type MapTexts = (request: ChatCompletionRequest, change: Change) => ChatCompletionRequest;

/**
 * Maps the texts of a request in both of its forms: those of the chat request first, then those that the native form has
 * beside them. The native form is dropped where, with its texts changed, it would be read as another request than the
 * changed one: what a guardrail has checked is what is sent (docs/decisions/0038).
 */
export function mapBothForms(
  request: ChatCompletionRequest,
  native: NativeRequest,
  { change, mapTexts }: { readonly change: Change; readonly mapTexts: MapTexts },
): ChatCompletionRequest {
  const results = new Map<string, string[]>();
  const mapped = mapTexts(request, (text) => {
    const result = change(text);
    const known = results.get(text.text);
    if (known === undefined) results.set(text.text, [result]);
    else known.push(result);
    return result;
  });
  const body = mapStrings(native.body, (text) => {
    const known = results.get(text);
    if (known === undefined) return change({ text, role: null, isContinued: false, isJson: false });
    // Equal texts come in the same order in both forms.
    return (known.length > 1 ? known.shift() : known[0]) as string;
  }) as NativeRequest['body'];
  if (mapped === request && body === native.body) return request;
  const changed = mapped === request ? { ...request } : mapped;
  return isReadAs(changed, { ...native, body }) ? withNative(changed, { ...native, body }) : changed;
}

function isReadAs(request: ChatCompletionRequest, { read, body }: NativeRequest): boolean {
  try {
    return JSON.stringify(read(body)) === JSON.stringify(request);
  } catch {
    return false;
  }
}
