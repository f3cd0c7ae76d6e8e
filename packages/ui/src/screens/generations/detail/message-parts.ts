import { isObject } from '../../../api/is-object.ts';
import { detailMessages } from './messages.ts';

/** A piece of a message, as it is shown. */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly name: string; readonly text: string }
  /** `bytes` is null for what is referred to by address: `origin` has its host. */
  | { readonly type: 'media'; readonly kind: string; readonly origin: string; readonly bytes: number | null };

/** Takes a stored message apart. Whatever it is, something comes out. */
export function toParts(message: unknown): { readonly role: string; readonly parts: readonly MessagePart[] } {
  if (!isObject(message)) return { role: 'unknown', parts: [{ type: 'text', text: JSON.stringify(message) ?? '' }] };
  const { role, content, tool_calls: calls } = message;
  const parts: MessagePart[] = [];
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', text: content });
  else if (Array.isArray(content)) parts.push(...content.map(toPart));
  if (Array.isArray(calls)) {
    for (const call of calls.filter(isObject)) {
      const named = isObject(call['function']) ? call['function'] : {};
      parts.push({
        type: 'tool-call',
        name: toText(named['name'], detailMessages().conversation.unnamed),
        text: toText(named['arguments'], ''),
      });
    }
  }
  return { role: typeof role === 'string' ? role : 'unknown', parts };
}

/** Names of tools by the ids of their calls, of which messages with results know no more. */
export function toToolNames(messages: readonly unknown[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    const calls = isObject(message) ? message['tool_calls'] : undefined;
    for (const call of Array.isArray(calls) ? calls.filter(isObject) : []) {
      const { id, function: called } = call;
      if (typeof id === 'string' && isObject(called) && typeof called['name'] === 'string')
        names.set(id, called['name']);
    }
  }
  return names;
}

/** The tool whose result a message is; undefined for any other message. */
export function toolOf(message: unknown, names: ReadonlyMap<string, string>): string | undefined {
  const id = isObject(message) && message['role'] === 'tool' ? message['tool_call_id'] : undefined;
  return typeof id === 'string' ? names.get(id) : undefined;
}

function toPart(part: unknown): MessagePart {
  if (!isObject(part)) return { type: 'text', text: JSON.stringify(part) ?? '' };
  if (typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
  const kind = toText(part['type'], 'part');
  const inner = part[kind];
  const address = isObject(inner) ? (inner['url'] ?? inner['file_data'] ?? inner['data']) : inner;
  if (typeof address !== 'string') return { type: 'text', text: JSON.stringify(part) };
  const label = kind.replace(/^input_|_url$/g, '');
  if (/^https?:/.test(address)) return { type: 'media', kind: label, origin: hostOf(address), bytes: null };
  const type = /^data:([\w/+.-]+)/.exec(address)?.[1] ?? label;
  return { type: 'media', kind: label, origin: type, bytes: Math.floor((address.length * 3) / 4) };
}

/** A text as it is, anything else as JSON. */
const toText = (value: unknown, absent: string): string =>
  typeof value === 'string' ? value : value === undefined ? absent : JSON.stringify(value);

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return detailMessages().conversation.anAddress;
  }
}
