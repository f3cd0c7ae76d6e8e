import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { firstValue, type GatewayRequest, type HeaderMap } from './request.ts';

/** A body below this size is parsed in a moment, however many values it holds. */
const SCAN_ABOVE_BYTES = 16 * 1024;

/**
 * Throws, or rejects with, `unsupported_media_type` for a body declared as another type, and `invalid_request` for
 * broken UTF-8 or JSON, or too many levels or values. Keys named `__proto__` are dropped at every depth. `read` reads
 * the bytes where they are not to be read whole.
 */
export function readJsonBody(
  request: GatewayRequest,
  read: () => Promise<Uint8Array> = () => request.readBody(),
): Awaitable<unknown> {
  if (request.json !== undefined) return toInertJson(request.json);
  refuseOtherTypes(request);
  return read().then(parseBody);
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw refuseBody('The body is empty; send a JSON object');
  if (bytes.byteLength > SCAN_ABOVE_BYTES) refuseUnreasonableBytes(bytes);
  return toInertJson(parseJson(decodeUtf8(bytes)));
}

function refuseOtherTypes({ headers }: GatewayRequest): void {
  refuseEncoding(headers);
  const type = firstValue(headers['content-type']);
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type "${type.slice(0, 80)}" is not accepted; send application/json`,
    );
  }
}

/** Throws `unsupported_media_type` for a body that is compressed. */
export function refuseEncoding(headers: HeaderMap): void {
  const encoding = firstValue(headers['content-encoding']);
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 40)}" is not accepted; send the body uncompressed`,
    );
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw refuseBody('The body is not valid UTF-8', cause);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuseBody(`The body is not valid JSON${cause instanceof SyntaxError ? placeOf(cause) : ''}`, cause);
  }
}

/** What V8 says of the place, all but the part of the body that it quotes: that may be secret, and this is kept. */
function placeOf({ message }: SyntaxError): string {
  // What it quotes may contain the same words, and never ends the message.
  const [, place] = / JSON at (position \d+(?: \(line \d+ column \d+\))?)$/.exec(message) ?? [];
  if (place !== undefined) return ` at ${place}`;
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  const [, token] = /^Unexpected token '(.)'/u.exec(message) ?? [];
  return token === undefined ? '' : `: '${token}' is not expected there`;
}

const MAX_DEPTH = 64;
/** The most items in one list or object. No conversation has as many messages, no tool as many parameters. */
const MAX_ITEMS = 10_000;
/** The most values in a whole body: a thousand messages with their tool calls are some twenty thousand values. */
const MAX_VALUES = 100_000;
/** The most numbers in the lists of a whole body: texts to embed are sent as some 300,000 tokens, and are soon parsed. */
const MAX_NUMBERS = 1_000_000;

const TOO_DEEP = `The body is nested more than ${MAX_DEPTH} levels deep`;
const TOO_MANY = `The body has a list or object of more than ${MAX_ITEMS} items`;
const TOO_MUCH = `The body has more than ${MAX_VALUES} values`;
const TOO_MANY_NUMBERS = `The body has lists of more than ${MAX_NUMBERS} numbers`;

const refusal = (reason: string, position?: number): GatewayError =>
  refuseBody(position === undefined ? reason : `${reason}, at position ${position}`);

const refuseBody = (message: string, cause?: unknown): GatewayError =>
  new GatewayError('invalid_request', message, { cause, metadata: { issues: [{ path: 'body', message }] } });

/**
 * Throws `invalid_request` for bytes that are nested too deep or hold too many values: a million brackets, keys or
 * messages take seconds to parse. Does not check whether the bytes are valid JSON.
 */
function refuseUnreasonableBytes(bytes: Uint8Array): void {
  // The number of commas directly inside each of the open lists and objects.
  const commas = new Uint32Array(MAX_DEPTH + 1);
  let values = 0;
  let numbers = 0;
  let depth = 0;
  // Multi-byte characters never contain the bytes that are compared here.
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === 0x22) i = findEndOfText(bytes, i + 1);
    else if (byte === 0x2c) {
      const before = commas[depth] ?? 0;
      if (before + 1 >= MAX_ITEMS) throw refusal(TOO_MANY, i);
      commas[depth] = before + 1;
      if (isNumberNext(bytes, i + 1)) {
        numbers += 1;
        if (numbers >= MAX_NUMBERS) throw refusal(TOO_MANY_NUMBERS, i);
      } else {
        values += 1;
        if (values >= MAX_VALUES) throw refusal(TOO_MUCH, i);
      }
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw refusal(TOO_DEEP, i);
      commas[depth] = 0;
    } else if ((byte === 0x5d || byte === 0x7d) && depth > 0) depth -= 1;
  }
}

/** After a comma, a number is an item of a list: in an object a name would come. */
function isNumberNext(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at] === 0x20 ? bytes[at + 1] : bytes[at];
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d);
}

/**
 * The first bytes of a text are compared one by one and only the rest is searched: starting a search takes as long as
 * comparing this many bytes.
 */
const STEP_BYTES = 64;

/** The position of the closing quotation mark, or the end of the bytes. An image is a text of megabytes. */
function findEndOfText(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length;) {
    for (const stop = at + STEP_BYTES; at < stop; at += 1) {
      if (bytes[at] === 0x22) return at;
      if (bytes[at] === 0x5c) at += 1;
    }
    const end = bytes.indexOf(0x22, at);
    if (end === -1) break;
    // A quotation mark after an odd number of backslashes belongs to the text.
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    at = end + 1;
  }
  return bytes.length;
}

/**
 * Walks a parsed tree and removes keys that could reach a prototype in later code. Throws `invalid_request` for a value
 * that is nested too deep or has too many items in one place.
 */
function toInertJson<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw refusal(TOO_DEEP);
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) throw refusal(TOO_MANY);
    for (const item of value) toInertJson(item, depth + 1);
    return value;
  }
  let members = 0;
  for (const key in value) {
    members += 1;
    if (members > MAX_ITEMS) throw refusal(TOO_MANY);
    if (key === '__proto__') delete value[key];
    else toInertJson(value[key], depth + 1);
  }
  return value;
}
