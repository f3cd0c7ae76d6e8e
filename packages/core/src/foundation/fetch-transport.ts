import { createWebPlatform, type Platform } from './platform.ts';
import { createTimerWheel } from './timers.ts';
import {
  toReadableStream,
  type Transport,
  TransportError,
  type TransportPhase,
  type TransportRequest,
  watchPieces,
} from './transport.ts';

export interface FetchTransportOptions {
  /** Default: the runtime's own. Electron's `net.fetch` honours the system's proxy and certificates. */
  readonly fetch?: typeof fetch | undefined;
  /** Default: that of the web. */
  readonly platform?: Platform | undefined;
}

/** For configured providers, without undici: unlike the guarded transport it connects to every address. */
export function createFetchTransport(options: FetchTransportOptions = {}): Transport {
  const { fetch: send = fetch, platform = createWebPlatform() } = options;
  const wheel = createTimerWheel(platform);
  const { monotonicNow } = platform;

  return {
    async send(request) {
      const call = new AbortController();
      let phase: TransportPhase = 'headers';
      const onAbort = (): void => call.abort(request.signal.reason);
      if (request.signal.aborted) onAbort();
      request.signal.addEventListener('abort', onAbort, { once: true });
      const deadline = wheel.add(() => {
        call.abort(new TransportError('a time limit ran out', { phase, requestSent: true, timedOut: true }));
      });
      const totalAt = monotonicNow() + request.totalTimeoutMs;
      const limitTo = (limitMs: number): void => deadline.setAt(Math.min(monotonicNow() + limitMs, totalAt));
      const release = (): void => {
        deadline.clear();
        request.signal.removeEventListener('abort', onAbort);
      };
      const fail = (thrown: unknown): Error => {
        release();
        return call.signal.aborted ? (call.signal.reason as Error) : toTransportError(thrown, phase);
      };

      limitTo(request.headersTimeoutMs);
      const onSent = (): void => {
        if (phase === 'headers') limitTo(request.headersTimeoutMs);
      };
      const body = toBody(request.body, onSent, (error) => call.abort(error));
      const response = await send(request.url, { ...toInit(request, call.signal), ...body }).catch((error: unknown) => {
        throw fail(error);
      });
      phase = 'body';
      limitTo(request.totalTimeoutMs);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: readBody(response, {
          onAsk: () => limitTo(request.idleTimeoutMs),
          // The time that a slow reader takes does not count as a pause of the upstream.
          onPiece: () => limitTo(request.totalTimeoutMs),
          onEnd: release,
          fail,
        }),
      };
    },
  };
}

function toInit({ method, headers }: TransportRequest, signal: AbortSignal): RequestInit {
  return {
    method,
    headers,
    // Following a redirect would send the provider's key to the address it names.
    redirect: 'manual',
    signal,
  };
}

function toBody(
  body: TransportRequest['body'],
  onPiece: () => void,
  onError: (error: Error) => void,
): Pick<RequestInit, 'body'> & { duplex?: 'half' } {
  if (body === undefined || typeof body === 'string') return body === undefined ? {} : { body };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) };
  // The fetch standard requires `duplex` with every stream; "half" is the only value it defines.
  return { body: toReadableStream(watchPieces(body(), onPiece, onError)), duplex: 'half' };
}

async function* readBody(
  response: Response,
  hooks: { onAsk: () => void; onPiece: () => void; onEnd: () => void; fail: (thrown: unknown) => Error },
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      hooks.onAsk();
      const next = await reader?.read().catch((error: unknown) => {
        throw hooks.fail(error);
      });
      if (next === undefined || next.done) return;
      hooks.onPiece();
      yield next.value;
    }
  } finally {
    hooks.onEnd();
    // After a normal end this does nothing; otherwise it closes the connection.
    await reader?.cancel().catch(() => undefined);
  }
}

/** A `fetch` does not report whether it failed before or after sending, so the request counts as sent. */
function toTransportError(cause: unknown, phase: TransportPhase): TransportError {
  const message = phase === 'body' ? 'the response was cut short' : 'no response was received';
  return new TransportError(message, { phase, requestSent: true, cause });
}
