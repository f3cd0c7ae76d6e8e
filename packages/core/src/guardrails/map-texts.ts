import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';

/** One text of a request, on its way to a model. */
export interface RequestText {
  readonly text: string;
  /** Role of the message it stands in; null outside of messages. */
  readonly role: string | null;
  /** It goes on where the text before it stopped: the parts of one message are read as one. */
  readonly isContinued: boolean;
}

/** What of a request is read by a model or written down. Other fields are switches, numbers and names of ours. */
const FIELDS = [
  'messages',
  'tools',
  'response_format',
  'prediction',
  'stop',
  'user',
  'metadata',
  'trace',
] as const satisfies readonly (keyof ChatCompletionRequest)[];

/** Words of the protocol, ids, and signatures: changing them breaks the call, and nobody reads them as text. */
const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'file_id',
  'format',
  'detail',
  'signature',
  'encrypted_content',
  'ttl',
  'mode',
]);

/**
 * Makes a copy of a request with each of its texts replaced by what `change` makes of it, in a fixed order. Whatever
 * is not changed stays the same object. Tool arguments, which are JSON as text, are shown without needless escapes.
 */
export function mapTexts(request: ChatCompletionRequest, change: (text: RequestText) => string): ChatCompletionRequest {
  let changed: ChatCompletionRequest = request;
  for (const field of FIELDS) {
    const value = request[field];
    if (value === undefined || value === null) continue;
    const mapped = field === 'messages' ? mapMessages(request.messages, change) : mapStrings(value, toVisitor(change));
    if (mapped !== value) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

type Visit = (text: string, field: string) => string;

function mapMessages(
  messages: ChatCompletionRequest['messages'],
  change: (text: RequestText) => string,
): ChatCompletionRequest['messages'] {
  return mapList(messages, (message) => {
    let isFirstPart = true;
    const visit: Visit = (text, field) => {
      if (field === 'arguments')
        return changeArguments(text, (shown) => change({ text: shown, role: message.role, isContinued: false }));
      const isContinued = field === 'text' && !isFirstPart;
      if (field === 'text') isFirstPart = false;
      return change({ text, role: message.role, isContinued });
    };
    return mapStrings(message, visit) as typeof message;
  });
}

function toVisitor(change: (text: RequestText) => string): Visit {
  return (text) => change({ text, role: null, isContinued: false });
}

/** `\u0061` in JSON is an `a` to whoever reads it. The original is kept where nothing is changed. */
function changeArguments(text: string, change: (shown: string) => string): string {
  const shown = text.includes('\\') ? withoutEscapes(text) : text;
  const changed = change(shown);
  return changed === shown ? text : changed;
}

function withoutEscapes(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

/** Changes every string in a JSON value that is meant to be read. What is encoded as a data URL is not text. */
export function mapStrings(value: unknown, visit: Visit, field = ''): unknown {
  if (typeof value === 'string') {
    return PROTOCOL_FIELDS.has(field) || isEncoded(value, field) ? value : visit(value, field);
  }
  if (Array.isArray(value)) return mapList(value as readonly unknown[], (item) => mapStrings(item, visit, field));
  if (typeof value !== 'object' || value === null) return value;
  let mapped: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const changed = mapStrings(member, visit, key);
    if (changed !== member) (mapped ??= { ...value })[key] = changed;
  }
  return mapped ?? value;
}

function isEncoded(value: string, field: string): boolean {
  return field === 'data' || (field === 'b64_json' && value.length > 0) || /^data:[^,]{0,200};base64,/i.test(value);
}

function mapList<Item>(list: Item[], change: (item: Item) => Item): Item[];
function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[];
function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let mapped: Item[] | undefined;
  for (const [index, item] of list.entries()) {
    const changed = change(item);
    if (changed !== item) (mapped ??= [...list])[index] = changed;
  }
  return mapped ?? list;
}
