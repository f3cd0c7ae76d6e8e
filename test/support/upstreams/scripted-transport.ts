import { type Transport, TransportError, type TransportRequest } from '@model-gateway/core';

/** One call to an upstream, in the hands of the test. */
export interface ScriptedExchange {
  readonly request: TransportRequest;
  /** The request's JSON body. */
  readonly sent: Record<string, unknown>;
  /** Sends status and headers; the body follows with `push` and `end`. */
  respond(status?: number, headers?: Readonly<Record<string, string>>): void;
  push(piece: string | Uint8Array): void;
  end(): void;
  /** Fails the call in the phase it is in. */
  fail(error: Error): void;
  /** How many pieces the reader has asked for so far. */
  readonly pulls: number;
  /** The signal fired, or the reader left: upstream's connection would be closed by now. */
  readonly isClosed: boolean;
}

export interface ScriptedTransport extends Transport {
  /** Every call so far, oldest first. */
  readonly exchanges: readonly ScriptedExchange[];
  /** The last of them; throws when there was none. */
  latest(): ScriptedExchange;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Creates a transport that sends no response by itself. */
export function createScriptedTransport(onCall?: (exchange: ScriptedExchange) => void): ScriptedTransport {
  const exchanges: ScriptedExchange[] = [];
  return {
    exchanges,
    latest() {
      const exchange = exchanges.at(-1);
      if (exchange === undefined) throw new Error('Nobody has called upstream');
      return exchange;
    },
    send(request) {
      const { exchange, response } = openExchange(request);
      exchanges.push(exchange);
      onCall?.(exchange);
      return response;
    },
  };
}

/** Creates a transport whose every call gets the next of these, and the last again after that. */
export function createReplayTransport(
  ...responses: readonly {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly pieces: readonly (string | Uint8Array)[];
  }[]
): ScriptedTransport {
  let calls = 0;
  return createScriptedTransport((exchange) => {
    const response = responses[Math.min(calls, responses.length - 1)];
    calls += 1;
    exchange.respond(response?.status ?? 200, response?.headers ?? { 'content-type': 'text/event-stream' });
    for (const piece of response?.pieces ?? []) exchange.push(piece);
    exchange.end();
  });
}

/** An upstream that reset the connection. */
export function connectionReset(): TransportError {
  return new TransportError('the connection was reset', { phase: 'body', requestSent: true });
}

type ScriptedResponse = Awaited<ReturnType<Transport['send']>>;

function openExchange(request: TransportRequest): { exchange: ScriptedExchange; response: Promise<ScriptedResponse> } {
  let resolveHead: (response: ScriptedResponse) => void = () => undefined;
  let rejectHead: (error: Error) => void = () => undefined;
  const response = new Promise<ScriptedResponse>((resolve, reject) => {
    resolveHead = resolve;
    rejectHead = reject;
  });
  // A caller that has given up does not look any more.
  response.catch(() => undefined);
  let queue: (Uint8Array | Error | 'end')[] = [];
  let taken = 0;
  let waiting: { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: unknown) => void } | undefined;
  let hasHead = false;
  let pulls = 0;
  let isClosed = false;

  const deliver = (): void => {
    const next = queue[taken];
    if (waiting === undefined || next === undefined) return;
    const { resolve, reject } = waiting;
    taken += 1;
    waiting = undefined;
    if (next === 'end') resolve({ done: true, value: undefined });
    else if (next instanceof Error) reject(next);
    else resolve({ done: false, value: next });
  };

  const onAbort = (): void => {
    isClosed = true;
    rejectHead(request.signal.reason as Error);
    queue = [...queue.slice(0, taken), request.signal.reason as Error];
    deliver();
  };
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener('abort', onAbort, { once: true });

  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        pulls += 1;
        return new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          deliver();
        });
      },
      async return() {
        isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };

  const exchange: ScriptedExchange = {
    request,
    get sent() {
      const { body } = request;
      return JSON.parse(body instanceof Uint8Array ? decoder.decode(body) : String(body)) as Record<string, unknown>;
    },
    respond(status = 200, headers = { 'content-type': 'text/event-stream' }) {
      hasHead = true;
      resolveHead({ status, headers, body });
    },
    push(piece) {
      queue.push(typeof piece === 'string' ? encoder.encode(piece) : piece);
      deliver();
    },
    end() {
      queue.push('end');
      deliver();
    },
    fail(error) {
      if (!hasHead) rejectHead(error);
      else {
        queue.push(error);
        deliver();
      }
    },
    get pulls() {
      return pulls;
    },
    get isClosed() {
      return isClosed;
    },
  };
  return { exchange, response };
}
