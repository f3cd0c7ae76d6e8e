import type { IncomingMessage } from 'node:http';

/** State of a request's body when it reaches the router. */
export type ParsedBody =
  /** The body was not read; it still comes from the connection. */
  | { readonly type: 'unread' }
  /** Read by `express.json()` or a similar parser. */
  | { readonly type: 'json'; readonly value: unknown }
  /** Read by `express.raw()` or `express.text()`. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** A handler before the router has read the body and left nothing usable. */
  | { readonly type: 'lost' };

/** Content types of bodies that core treats as JSON. */
const JSON_TYPE = /^application\/([\w.-]+\+)?json\b/i;

/**
 * Finds the body of a request that parsers may have read. The state of the connection says whether one did, because
 * Express 4 sets `request.body` to `{}` for bodies that its parser left alone. An object of a non-JSON body (a form)
 * counts as lost.
 */
export function readParsedBody(request: IncomingMessage & { readonly body?: unknown }): ParsedBody {
  if (!request.readableEnded) return { type: 'unread' };
  const { body } = request;
  if (typeof body === 'string') return { type: 'bytes', bytes: Buffer.from(body) };
  if (body instanceof Uint8Array) return { type: 'bytes', bytes: body };
  const contentType = request.headers['content-type'];
  const isJson = body !== undefined && (contentType === undefined || JSON_TYPE.test(contentType));
  return isJson ? { type: 'json', value: body } : { type: 'lost' };
}
