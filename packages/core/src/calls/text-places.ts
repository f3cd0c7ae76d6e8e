import { isObject, isRecord, type Unchecked } from '../foundation/parse.ts';
import { mapList, type Visit } from './texts.ts';

/**
 * What may stand at a place of a request, and which texts of it filters see. Returns the same value where nothing has
 * changed. A list stands for its items.
 *
 * What a place does not expect is seen in full, names of members included: only the words, ids, signatures and bytes
 * that the protocol itself puts there are passed over (docs/guardrails.md has the table).
 */
export type Place = (value: unknown, visit: Visit) => unknown;

/** A text of any kind. */
export const text: Place = (value, visit) => (typeof value === 'string' ? visit(value, 'text') : record(value, visit));

/** A part of the texts of one message, which are read as one. */
export const part: Place = (value, visit) => (typeof value === 'string' ? visit(value, 'part') : record(value, visit));

/** A JSON document as text, which upstream parses. */
export const argumentsText: Place = (value, visit) =>
  typeof value === 'string' ? visit(value, 'arguments') : record(value, visit);

/** A name that keeps its form when it is redacted, and that nothing else in the request refers to. */
export const name: Place = (value, visit) => (typeof value === 'string' ? visit(value, 'name') : record(value, visit));

/** Has been checked to be one of a few words, or no text at all. */
export const checked: Place = (value) => value;

/** The shortest number that may be a card's or a telephone's. */
const LONG_NUMBER = 1e6;

/** JSON that means something to the caller alone: every text, every name, and long numbers. */
export const record: Place = (value, visit) => {
  if (typeof value === 'string') return visit(value, 'text');
  if (typeof value === 'number') return mapNumber(value, visit);
  if (Array.isArray(value)) return mapItems(record, value, visit);
  return isObject(value) ? mapMembers(value, visit, UNKNOWN) : value;
};

function mapNumber(value: number, visit: Visit): unknown {
  if (Math.abs(value) < LONG_NUMBER) return value;
  const written = String(value);
  const changed = visit(written, 'text');
  return changed === written ? value : changed;
}

/** A text that must stay as it is. `what` is a noun for errors. */
export function fixed(what: string): Place {
  const place: Place = (value, visit) => {
    if (typeof value !== 'string') return Array.isArray(value) ? mapItems(place, value, visit) : record(value, visit);
    return visit(value, 'fixed', what);
  };
  return place;
}

/** A text that filters pass over where the pattern fits it. */
export function unseenOr(pattern: RegExp, other: Place): Place {
  const place: Place = (value, visit) => {
    if (typeof value === 'string') return pattern.test(value) ? value : other(value, visit);
    return Array.isArray(value) ? mapItems(place, value, visit) : record(value, visit);
  };
  return place;
}

/** Words that the protocol has for this place. Any other is a text. */
export function words(...known: readonly (string | RegExp)[]): Place {
  const patterns = known.map((word) => (typeof word === 'string' ? word.replace(/[.+*/]/g, '\\$&') : word.source));
  return unseenOr(new RegExp(`^(?:${patterns.join('|')})$`), fixed('a word of the protocol'));
}

/** An id of a call, a file or an item: one word, by which upstream and the gateway find it. */
export const id = unseenOr(/^[\w.:|+/=~-]{1,512}$/, fixed('an id'));

/** What upstream has signed or sealed, and alone can read. */
export const sealed = unseenOr(/^[\w.:|+/=~-]*$/, fixed('a signature'));

/** A number, a switch or nothing. Anything else is a text. */
export const scalar: Place = (value, visit) =>
  typeof value === 'string' || isObject(value) ? record(value, visit) : value;

/** The address of a picture, a sound, a film or a document, or its bytes. */
export const media: Place = (value, visit) => {
  if (typeof value === 'string') return isBytes(value) ? value : mapDataUrl(value, visit);
  return Array.isArray(value) ? mapItems(media, value, visit) : record(value, visit);
};

/** Base64 without an address. No picture, sound or document is shorter than this. */
const isBytes = (value: string): boolean => value.length >= 64 && /^[\w+/-]+={0,2}$/.test(value);

/** The bytes of a file whose type stands beside them. */
export const bytes: Place = unseenOr(/^[\w+/-]*={0,2}$/, text);

/** The bytes of a text file, in base64. */
export const encodedText: Place = (value, visit) =>
  typeof value === 'string' ? mapBase64Text(value, visit) : record(value, visit);

/** JSON of the caller's with addresses of media in it. */
export const recordWithMedia: Place = (value, visit) => {
  if (typeof value === 'string') return mapDataUrl(value, visit);
  if (Array.isArray(value)) return mapItems(recordWithMedia, value, visit);
  return isObject(value) ? mapMembers(value, visit, UNKNOWN_WITH_MEDIA) : record(value, visit);
};

/** An object whose members the protocol names. A member of another name is the caller's: its name is seen, too. */
export function fields(places: Readonly<Record<string, Place>>, other: Place = record): Place {
  const known: ReadonlyMap<string, Place> = new Map(Object.entries(places));
  const members: Members = { placeOf: (field) => known.get(field), other };
  const place: Place = (value, visit) => {
    if (Array.isArray(value)) return mapItems(place, value, visit);
    return isRecord(value) ? mapMembers(value, visit, members) : text(value, visit);
  };
  return place;
}

/** An object whose names are the caller's. They keep the form of names; `what` is a noun for errors. */
export function dictionary(what: string, inner: Place): Place {
  const placeOf = (): Place => inner;
  return (value, visit) => (isRecord(value) ? mapMembers(value, visit, { placeOf, what }) : record(value, visit));
}

/** A place that is chosen by what stands there, for each item of a list. */
export function chosen(choose: (value: unknown) => Place): Place {
  const place: Place = (value, visit) =>
    Array.isArray(value) ? mapItems(place, value, visit) : choose(value)(value, visit);
  return place;
}

const mapItems = (place: Place, list: readonly unknown[], visit: Visit): readonly unknown[] =>
  mapList(list, (item) => place(item, visit));

interface Members {
  readonly placeOf: (field: string) => Place | undefined;
  /** For a member without a place; default: `record`. */
  readonly other?: Place;
  /** All names are the caller's; else those of members without a place. */
  readonly what?: string;
}

const UNKNOWN: Members = { placeOf: () => undefined };
const UNKNOWN_WITH_MEDIA: Members = { ...UNKNOWN, other: (value, visit) => recordWithMedia(value, visit) };

/** No two names become one. */
function mapMembers(value: Unchecked, visit: Visit, { placeOf, other = record, what }: Members): unknown {
  let entries: [string, unknown][] | undefined;
  let index = 0;
  for (const field of Object.keys(value)) {
    const member = value[field];
    const place = placeOf(field);
    let named = field;
    if (what !== undefined) named = visit(field, 'name', what);
    else if (place === undefined) named = visit(field, 'text');
    const mapped = (place ?? other)(member, visit);
    if (named !== field || mapped !== member) (entries ??= Object.entries(value))[index] = [named, mapped];
    index += 1;
  }
  return entries === undefined ? value : Object.fromEntries(withoutEqualNames(entries));
}

function withoutEqualNames(entries: readonly [string, unknown][]): readonly [string, unknown][] {
  const taken = new Set<string>();
  return entries.map(([field, member]) => {
    let free = field;
    for (let count = 2; taken.has(free); count += 1) free = `${field}_${count}`;
    taken.add(free);
    return [free, member];
  });
}

/** Heads of data URLs in which nothing but a type of media can be read. */
const PLAIN_HEAD =
  /^data:(?:image\/(?:png|jpe?g|gif|webp|heic|heif|avif|bmp|tiff)|audio\/(?:wav|x-wav|wave|mpeg|mp3|mp4|aac|ogg|opus|flac|aiff|webm|pcm|l16)|video\/(?:mp4|mpeg|mpg|webm|quicktime|mov|avi|x-msvideo|x-flv|3gpp|wmv|x-ms-wmv)|application\/(?:pdf|octet-stream|zip|msword|vnd\.(?:ms-excel|ms-powerpoint|oasis\.opendocument\.(?:text|spreadsheet|presentation)|openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation))))?;base64,$/i;

/** Heads of those that hold text. */
const PLAIN_TEXT_HEAD =
  /^data:(?:text\/(?:plain|html|css|csv|markdown|xml)|application\/(?:json|xml))?(?:;charset=(?:utf-8|us-ascii))?(?:;base64)?,$/i;

const TEXT_TYPE =
  /^(?:|text\/.*|application\/(?:json|x-ndjson|xml|javascript|x-javascript|typescript|yaml|x-yaml|toml|sql|rtf|x-sh|x-python)|.*\+(?:json|xml|yaml))$/;

/** Whether files of a type are texts, which models are shown as such. */
export const isTextType = (mediaType: string): boolean =>
  TEXT_TYPE.test((mediaType.split(';')[0] as string).trim().toLowerCase());

const base64 = /^[\w+/-]*={0,2}$/;
const HEAD = /^data:[^,]{0,1000},/i;

/**
 * Maps the address of a file: the text of a text file that it holds, else the address. Bytes of other files are no
 * text.
 */
function mapDataUrl(url: string, visit: Visit): string {
  const [head] = HEAD.exec(url) ?? [];
  if (head === undefined) return visit(url, 'text');
  const isBase64 = /;\s*base64\s*,$/i.test(head);
  const isText = isTextType(head.slice('data:'.length).replace(/[;,].*$/s, ''));
  const data = url.slice(head.length);
  if (!isText && !(isBase64 && base64.test(data))) return visit(url, 'text');
  if (!PLAIN_HEAD.test(head) && !PLAIN_TEXT_HEAD.test(head)) visit(head, 'fixed', 'the type of a file');
  if (!isText) return url;
  return head + (isBase64 ? mapBase64Text(data, visit) : mapEncodedText(data, visit));
}

/** Maps the text that is encoded in base64; what is not is mapped as it is. */
function mapBase64Text(encoded: string, visit: Visit): string {
  const decoded = decodeBase64(encoded);
  if (decoded === undefined) return visit(encoded, 'text');
  const changed = visit(decoded, 'text');
  return changed === decoded ? encoded : encodeBase64(changed);
}

function mapEncodedText(encoded: string, visit: Visit): string {
  let decoded = encoded;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    // Upstream refuses it, or reads it as it is.
  }
  const changed = visit(decoded, 'text');
  return changed === decoded ? encoded : encodeURIComponent(changed);
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const PIECE = 0x8000;

function decodeBase64(encoded: string): string | undefined {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

function encodeBase64(decoded: string): string {
  const bytes = encoder.encode(decoded);
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}
