import type { GatewayRequest } from '../../../packages/core/src/http/request.ts';

/** The two ways to read a request's body, which is this text or these bytes; empty where nothing is given. */
export function bodyOf(body: string | Uint8Array = ''): Pick<GatewayRequest, 'readBody' | 'openBody'> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return {
    readBody: () => Promise.resolve(bytes),
    async *openBody() {
      yield await Promise.resolve(bytes);
    },
  };
}
