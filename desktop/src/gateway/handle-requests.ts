import { type Gateway, GatewayError, type GatewayResponse, type Principal } from '@model-gateway/core';

import type { FromGateway, RequestMessage } from '../shared/gateway-messages.ts';

/** Responds to the window's requests, without a port. */
export interface RequestHandler {
  respond(message: RequestMessage): void;
  /** The reader takes one more piece. */
  pull(id: number): void;
  abort(id: number): void;
}

interface OpenResponse {
  readonly controller: AbortController;
  /** Pieces that the reader has asked for and not been sent. */
  credit: number;
  onCredit: (() => void) | undefined;
}

/** The window is this machine's user, who may do everything. */
export const OWNER: Principal = { kind: 'management', id: 'desktop', name: 'Model Gateway' };
/** Calls are made as a client's, because a management key makes none. */
const CALLER: Principal = { kind: 'api', id: 'desktop', name: 'Model Gateway' };

/** Creates the handler of a gateway; everything it has to say goes to `post`. */
export function createRequestHandler(gateway: Gateway, post: (message: FromGateway) => void): RequestHandler {
  const open = new Map<number, OpenResponse>();

  const send = async ({ id, body, ...asked }: RequestMessage, pending: OpenResponse): Promise<void> => {
    const response = await gateway.handle({
      ...asked,
      readBody: () => Promise.resolve(body ?? new Uint8Array()),
      async *openBody() {
        if (body !== null) yield body;
      },
      signal: pending.controller.signal,
      baseUrl: 'app://gateway',
      principal: gateway.authOf(asked.method, asked.path) === 'api' ? CALLER : OWNER,
    });
    post({ type: 'head', id, status: response.status, headers: response.headers });
    for await (const bytes of piecesOf(response)) {
      while (pending.credit === 0 && !pending.controller.signal.aborted) {
        await new Promise<void>((resolve) => (pending.onCredit = resolve));
      }
      if (pending.controller.signal.aborted) return;
      pending.credit -= 1;
      post({ type: 'piece', id, bytes });
    }
    post({ type: 'end', id });
  };

  return {
    respond(message) {
      const pending: OpenResponse = { controller: new AbortController(), credit: 0, onCredit: undefined };
      open.set(message.id, pending);
      send(message, pending)
        .catch((error: unknown) => post({ type: 'broken', id: message.id, message: String(error) }))
        .finally(() => open.delete(message.id));
    },
    pull(id) {
      const pending = open.get(id);
      if (pending === undefined) return;
      pending.credit += 1;
      pending.onCredit?.();
    },
    abort(id) {
      const pending = open.get(id);
      pending?.controller.abort(new GatewayError('client_closed_request', 'The window went away'));
      pending?.onCredit?.();
    },
  };
}

async function* piecesOf({ body }: GatewayResponse): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  if (typeof body === 'string') yield new TextEncoder().encode(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body;
}
