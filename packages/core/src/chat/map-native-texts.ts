import { type RequestText, toVisitor } from '../calls/texts.ts';
import { type NativeRequest, withNative } from '../wire/chat-chunk.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { NATIVE_PLACES } from './native-places.ts';

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
  const mapped = mapTexts(request, (given) => {
    const result = change(given);
    const key = toKey(given);
    const known = results.get(key);
    if (known === undefined) results.set(key, [result]);
    else known.push(result);
    return result;
  });
  const visit = toVisitor((given) => {
    const known = results.get(toKey(given));
    // What the chat request does not have is from outside, as what a tool returns: like something the user has said.
    if (known === undefined) return change({ ...given, role: 'user' });
    // Equal texts come in the same order in both forms.
    return (known.length > 1 ? known.shift() : known[0]) as string;
  });
  const body = NATIVE_PLACES[native.form](native.body, visit) as NativeRequest['body'];
  if (mapped === request && body === native.body) return request;
  const changed = mapped === request ? { ...request } : mapped;
  return isReadAs(changed, { ...native, body }) ? withNative(changed, { ...native, body }) : changed;
}

/** A name is redacted in another way than an equal text. */
const toKey = ({ text, form }: RequestText): string => (form === 'name' ? `name ${text}` : text);

function isReadAs(request: ChatCompletionRequest, { read, body }: NativeRequest): boolean {
  try {
    return JSON.stringify(read(body)) === JSON.stringify(request);
  } catch {
    return false;
  }
}
