/** One text of a request, on its way to a model. */
export interface RequestText {
  readonly text: string;
  /** Role of the message it stands in; null outside of messages. */
  readonly role: string | null;
  /** It goes on where the text before it stopped: the parts of one message are read as one. */
  readonly isContinued: boolean;
  /** The text is JSON, so its characters may be escaped. */
  readonly isJson: boolean;
}

/** Copies a request with each of its texts replaced by the result of `change`, in a fixed order. */
export type TextMap<Request> = (request: Request, change: (text: RequestText) => string) => Request;

/** Words of the protocol, ids, and signatures: a change would break the call, and they are never read as text. */
const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'file_id',
  'media_type',
  'format',
  'detail',
  'signature',
  'encrypted_content',
  'ttl',
  'mode',
]);

/** Fields that may hold media in place of an address. */
const MEDIA_FIELDS: ReadonlySet<string> = new Set(['url', 'file_data', 'image_url', 'data', 'b64_json']);

const base64 = /^(?:data:[^,]{0,200};base64,)?[a-z0-9+/_=-]*$/i;

export type Visit = (text: string, field: string) => string;

/** A visitor of texts that stand outside of messages. */
export function toVisitor(change: (text: RequestText) => string, role: RequestText['role'] = null): Visit {
  return (text) => change({ text, role, isContinued: false, isJson: false });
}

/** Changes every string in a JSON value that is meant to be read, names of properties in a schema included. */
export function mapStrings(value: unknown, visit: Visit, field = ''): unknown {
  if (typeof value === 'string') {
    const isUnread = PROTOCOL_FIELDS.has(field) || (MEDIA_FIELDS.has(field) && base64.test(value));
    return isUnread ? value : visit(value, field);
  }
  if (Array.isArray(value)) return mapList(value as readonly unknown[], (item) => mapStrings(item, visit, field));
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'properties') {
    return mapEntries(value, ([name, member]) => [visit(name, ''), mapStrings(member, visit)]);
  }
  let mapped: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const changed = mapStrings(member, visit, key);
    if (changed !== member) (mapped ??= { ...value })[key] = changed;
  }
  return mapped ?? value;
}

/** Changes every string in a JSON value, keys included, whatever it is called. */
export function mapRecord(value: unknown, visit: Visit): unknown {
  if (typeof value === 'string') return visit(value, '');
  if (Array.isArray(value)) return mapList(value as readonly unknown[], (item) => mapRecord(item, visit));
  if (typeof value !== 'object' || value === null) return value;
  return mapEntries(value, ([key, member]) => [visit(key, ''), mapRecord(member, visit)]);
}

type PropertyEntry = readonly [string, unknown];

function mapEntries(value: object, change: (entry: PropertyEntry) => PropertyEntry): object {
  let isChanged = false;
  const entries = Object.entries(value).map((entry) => {
    const [key, member] = change(entry);
    if (key !== entry[0] || member !== entry[1]) isChanged = true;
    return [key, member] as const;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

/** Changes every item of a list; the list itself when nothing has changed. */
export function mapList<Item>(list: Item[], change: (item: Item) => Item): Item[];
export function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[];
export function mapList<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let mapped: Item[] | undefined;
  for (const [index, item] of list.entries()) {
    const changed = change(item);
    if (changed !== item) (mapped ??= [...list])[index] = changed;
  }
  return mapped ?? list;
}
