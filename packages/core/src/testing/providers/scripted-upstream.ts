import type { Transport, TransportRequest } from '../../foundation/transport.ts';

/** The response that an upstream gives to every request. */
export interface ScriptedResponse {
  /** Default: 200. */
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
  /** After the pieces: the end, this error, or nothing until this signal, the call's, fires. Default: the end. */
  readonly after?: 'end' | Error | AbortSignal | undefined;
}

export interface ScriptedUpstream {
  readonly transport: Transport;
  readonly requests: readonly TransportRequest[];
  /** How many pieces the provider has taken. */
  piecesTaken(): number;
  /** Whether the provider has left the body before its end. */
  wasLeft(): boolean;
}

/** Creates an upstream in memory. As every transport does, it rejects with the reason of a signal that was aborted. */
export function createScriptedUpstream({
  status = 200,
  headers,
  pieces,
  after = 'end',
}: ScriptedResponse): ScriptedUpstream {
  const requests: TransportRequest[] = [];
  let taken = 0;
  let isLeft = false;

  const readNext = async (signal: AbortSignal): Promise<IteratorResult<Uint8Array>> => {
    signal.throwIfAborted();
    const piece = pieces[taken];
    if (piece !== undefined) {
      taken += 1;
      return { done: false, value: piece };
    }
    if (after instanceof Error) throw after;
    if (after !== 'end') await fireOf(after);
    // A provider that has not handed on the signal gets an end, and not a body that never ends.
    signal.throwIfAborted();
    return { done: true, value: undefined };
  };

  return {
    requests,
    piecesTaken: () => taken,
    wasLeft: () => isLeft,
    transport: {
      async send(request) {
        requests.push(request);
        request.signal.throwIfAborted();
        const body: AsyncIterableIterator<Uint8Array> = {
          [Symbol.asyncIterator]: () => body,
          next: () => readNext(request.signal),
          async return() {
            isLeft = true;
            return { done: true, value: undefined };
          },
        };
        return { status, headers, body };
      },
    },
  };
}

/** Creates one whose every request fails before there is a response. */
export function createDeadUpstream(error: Error): Transport {
  return { send: () => Promise.reject(error) };
}

async function fireOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}
