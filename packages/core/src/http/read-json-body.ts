import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { refuseUnreasonableBytes, toInertJson } from './limit-json.ts';
import { type GatewayRequest, firstValue } from './request.ts';

/** A body below this size is parsed in a moment, however many values it holds. */
const SCAN_ABOVE_BYTES = 16 * 1024;

/**
 * Reads the body as JSON. Throws, or rejects with, `unsupported_media_type` for a body that is declared as another
 * type, and `invalid_request` for broken UTF-8, broken JSON, and more levels or values than a request has. Keys named
 * `__proto__` are dropped at every depth.
 */
export function readJsonBody(request: GatewayRequest): Awaitable<unknown> {
  if (request.json !== undefined) return toInertJson(request.json);
  refuseOtherTypes(request);
  return request.readBody().then(parseBody);
}

function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) throw new GatewayError('invalid_request', 'The body is empty; send a JSON object');
  if (bytes.byteLength > SCAN_ABOVE_BYTES) refuseUnreasonableBytes(bytes);
  return toInertJson(parseJson(decodeUtf8(bytes)));
}

function refuseOtherTypes({ headers }: GatewayRequest): void {
  const encoding = firstValue(headers['content-encoding']);
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Encoding "${encoding.slice(0, 40)}" is not accepted; send the body uncompressed`,
    );
  }
  const type = firstValue(headers['content-type']);
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
