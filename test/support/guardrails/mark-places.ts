/** A word that is valid wherever a word is: an id, a name of a function, base64. */
export const MARKER = 'zebrafinch';

/** A request with the marker in one place. */
export interface MarkedRequest {
  /** `messages.0.content`; a name of a member that is marked ends with `{}`, text in JSON begins with `<json>`. */
  readonly place: string;
  /** The marker is all that stands there, alone or as a part of a word, or follows what stood there. */
  readonly variant: 'word' | 'part of a word' | 'added word' | 'name';
  readonly body: Readonly<Record<string, unknown>>;
}

type Json = unknown;

/** Every request that has the marker in one of the places of this one: each string, and one more name in each object. */
export function* markPlaces(body: Readonly<Record<string, unknown>>): Generator<MarkedRequest> {
  for (const { place, variant, value } of markValue(body, '')) {
    yield { place, variant, body: value as MarkedRequest['body'] };
  }
}

interface MarkedValue {
  readonly place: string;
  readonly variant: MarkedRequest['variant'];
  readonly value: Json;
}

function* markValue(value: Json, place: string): Generator<MarkedValue> {
  if (typeof value === 'string') yield* markString(value, place);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const marked of markValue(item, `${place}.${index}`))
        yield { ...marked, value: value.with(index, marked.value) };
    }
  } else if (typeof value === 'object' && value !== null) yield* markObject(value as Record<string, Json>, place);
}

function* markObject(value: Readonly<Record<string, Json>>, place: string): Generator<MarkedValue> {
  const [first = 'x'] = Object.values(value);
  yield { place: `${place}{}`, variant: 'name', value: { ...value, [MARKER]: first } };
  for (const [name, member] of Object.entries(value)) {
    const path = place === '' ? name : `${place}.${name}`;
    for (const marked of markValue(member, path)) yield { ...marked, value: { ...value, [name]: marked.value } };
  }
}

function* markString(value: string, place: string): Generator<MarkedValue> {
  yield { place, variant: 'word', value: MARKER };
  // As words of protocols are written: `clear_tool_uses_20250919`, `web_search_call.results`.
  yield { place, variant: 'part of a word', value: `use_${MARKER}_20250101` };
  yield { place, variant: 'part of a word', value: `use_it.${MARKER}_now` };
  yield { place, variant: 'added word', value: `${value} ${MARKER}` };
  const url = /^(?<head>data:(?<type>[^;,]*)(?<rest>[^,]*)),(?<data>.*)$/s.exec(value)?.groups;
  if (url !== undefined) {
    const { head = '', type = '', rest = '', data = '' } = url;
    yield { place: `${place}<head>`, variant: 'word', value: `data:${type};name=${MARKER}${rest},${data}` };
    yield { place: `${place}<type>`, variant: 'word', value: `data:application/vnd.${MARKER}${rest},${data}` };
    yield { place: `${place}<type>`, variant: 'word', value: `data:image/${MARKER}${rest},${data}` };
    const isText = type.startsWith('text/');
    const marked = !isText
      ? `${data}${MARKER}`
      : rest === ';base64'
        ? Buffer.from(`${Buffer.from(data, 'base64').toString()} ${MARKER}`).toString('base64')
        : `${data}%20%7a${MARKER.slice(1)}`;
    yield { place: `${place}<${isText ? 'text' : 'bytes'}>`, variant: 'word', value: `${head},${marked}` };
  }
  if (!/^[[{]/.test(value)) return;
  for (const marked of markValue(JSON.parse(value), '')) {
    const inner = `${place}<json>${marked.place}`;
    yield { ...marked, place: inner, value: JSON.stringify(marked.value) };
    yield {
      ...marked,
      place: `${inner}<escaped>`,
      value: JSON.stringify(marked.value).replace('zebra', '\\u007aebra'),
    };
  }
}

/** Whether a model that is sent this body can read the marker in it, be it in a text file in base64. */
export function holdsMarker(value: unknown): boolean {
  if (typeof value === 'string') {
    if (value.includes(MARKER) || value.includes('\\u007aebra') || value.includes(`%7a${MARKER.slice(1)}`)) return true;
    return Buffer.from(value.replace(/^data:[^,]*,/, ''), 'base64').includes(MARKER);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => name.includes(MARKER) || holdsMarker(member));
}
