import { GatewayError } from './errors.ts';
import { type GatewayRequest, headerOf } from './request.ts';
import type { Awaitable } from './stores/store.ts';

const MAX_DEPTH = 64;
/** Larger bodies are scanned for their depth before they are parsed: parsing a million brackets takes a third of a second. */
const SCAN_ABOVE_BYTES = 16 * 1024;

/**
 * Reads the body as JSON. Throws, or rejects with, `unsupported_media_type` for a body said to be something else, and
 * `invalid_request` for broken UTF-8, broken JSON or nesting beyond 64. Keys named `__proto__` are dropped wherever they
 * stand.
 */
export function readJsonBody(request: GatewayRequest): Awaitable<unknown> {
  if (request.json !== undefined) return toInertJson(request.json);
  refuseOtherTypes(request);
  return request.readBody().then(parseBody);
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new GatewayError('invalid_request', 'The body is empty; send a JSON object');
  if (bytes.byteLength > SCAN_ABOVE_BYTES) refuseDeepBytes(bytes);
  return toInertJson(parseJson(decodeUtf8(bytes)));
}

function refuseOtherTypes({ headers }: GatewayRequest): void {
  const encoding = headerOf(headers, 'content-encoding');
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 40)}" is not accepted; send the body uncompressed`,
    );
  }
  const type = headerOf(headers, 'content-type');
  if (type !== undefined && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type "${type.slice(0, 80)}" is not accepted; send application/json`,
    );
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The body is not valid UTF-8', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail =
      cause instanceof SyntaxError ? /position \d+( \(line \d+ column \d+\))?/.exec(cause.message)?.[0] : undefined;
    const where = detail === undefined ? '' : ` at ${detail}`;
    throw new GatewayError('invalid_request', `The body is not valid JSON${where}`, { cause });
  }
}

const tooDeep = (): GatewayError =>
  new GatewayError('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep`);

/** Follows brackets outside of strings. Multi-byte characters never contain the bytes looked at. */
function refuseDeepBytes(bytes: Uint8Array): void {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (isInString) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) throw tooDeep();
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
}

/** Walks a parsed tree: limits its depth and removes keys that could reach a prototype further on. */
function toInertJson<Value>(value: Value, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) toInertJson(item, depth + 1);
    return value;
  }
  for (const key in value) {
    if (key === '__proto__') delete value[key];
    else toInertJson(value[key], depth + 1);
  }
  return value;
}
