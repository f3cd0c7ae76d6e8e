import type { FromGateway } from '../../shared/gateway-messages.ts';
import type { GatewayProcess } from './gateway-process.ts';

/** Number of pieces that are sent before the reader has taken the first of them. */
const PIECES_AHEAD = 4;

interface Pending {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
  controller?: ReadableStreamDefaultController<Uint8Array>;
}

/**
 * Creates the `fetch` of the window: it reaches the gateway in its process without a port, so the UI works even when no
 * port can be opened. Responses are streamed, no faster than they are read.
 */
export function createGatewayFetch(gateway: GatewayProcess): (request: Request) => Promise<Response> {
  const pending = new Map<number, Pending>();
  let lastId = 0;

  const breakOff = (id: number, message: string): void => {
    const call = pending.get(id);
    pending.delete(id);
    if (call?.controller === undefined) call?.reject(new Error(message));
    else call.controller.error(new Error(message));
  };
  const begin = ({ id, status, headers }: Extract<FromGateway, { type: 'head' }>, call: Pending): void => {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (call.controller = controller),
        pull() {
          gateway.send({ type: 'pull', id });
        },
        cancel() {
          pending.delete(id);
          gateway.send({ type: 'abort', id });
        },
      },
      { highWaterMark: PIECES_AHEAD },
    );
    const hasBody = status !== 204 && status !== 304;
    call.resolve(new Response(hasBody ? body : null, { status, headers }));
  };

  gateway.onResponse((message) => {
    if (message.type === 'stopped') {
      for (const id of pending.keys()) breakOff(id, 'The gateway has stopped');
      return;
    }
    if (message.type === 'state' || message.type === 'figures' || message.type === 'notice') return;
    const call = pending.get(message.id);
    if (call === undefined) return;
    switch (message.type) {
      case 'head':
        return begin(message, call);
      case 'piece':
        return call.controller?.enqueue(message.bytes);
      case 'end':
        pending.delete(message.id);
        return call.controller?.close();
      case 'broken':
        return breakOff(message.id, message.message);
    }
  });

  return async (request) => {
    const id = (lastId += 1);
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    return new Promise<Response>((resolve, reject) => {
      pending.set(id, { resolve, reject });
      request.signal.addEventListener('abort', () => gateway.send({ type: 'abort', id }), { once: true });
      const isSent = gateway.send({
        type: 'request',
        id,
        method: request.method,
        path: pathname,
        query: search.slice(1),
        headers,
        body,
      });
      if (!isSent) breakOff(id, 'The gateway is not running');
    });
  };
}
