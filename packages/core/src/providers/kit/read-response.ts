import { GatewayError } from '../../foundation/errors.ts';
import { createSseDecoder } from '../../foundation/sse-decoder.ts';
import type { TransportResponse } from '../../foundation/transport.ts';
import type { ChatChunk } from '../../wire/chat-chunk.ts';

/** Reads one event: a chunk, nothing, or the end of the completion. Throws the error that upstream reports. */
type ReadEvent = (data: string) => ChatChunk | 'done' | undefined;

interface EventHooks {
  /** Makes the last chunk; throws for an incomplete completion. */
  readonly readEnd?: (() => ChatChunk) | undefined;
  readonly onSignOfLife?: (() => void) | undefined;
}

const END: IteratorResult<readonly ChatChunk[]> = { done: true, value: undefined };

/**
 * Yields the chunks that each piece of bytes completed, also before an error; tells of a piece that completed none.
 * Returns at the end of the completion or of the bytes, after the chunk of `readEnd`. Throws `provider_unavailable` when
 * the bytes end within an event. Written by hand: a generator cost as much per piece as the parsing of its events.
 */
export function readEvents(
  body: TransportResponse['body'],
  readEvent: ReadEvent,
  providerName: string,
  { readEnd, onSignOfLife }: EventHooks = {},
): AsyncIterableIterator<readonly ChatChunk[]> {
  const decoder = createSseDecoder();
  const pieces = body[Symbol.asyncIterator]();
  let phase: 'reading' | 'ended' | 'failed' | 'over' = 'reading';
  let failure: unknown;

  const readPiece = (bytes: Uint8Array): readonly ChatChunk[] => {
    const batch: ChatChunk[] = [];
    try {
      for (const data of decoder.push(bytes)) {
        const read = readEvent(data);
        if (read === 'done') {
          phase = 'ended';
          break;
        }
        if (read !== undefined) batch.push(read);
      }
    } catch (error) {
      phase = 'failed';
      failure = error;
    }
    // Later data is ignored, and so is the end of the connection.
    if (phase !== 'reading') void pieces.return?.().then(undefined, () => undefined);
    return batch;
  };

  const readLast = (): readonly ChatChunk[] => {
    phase = 'over';
    const unfinished = decoder.end();
    const read = unfinished === undefined ? undefined : readUnfinished(unfinished, readEvent, providerName);
    phase = 'ended';
    return read === undefined || read === 'done' ? [] : [read];
  };

  const batches: AsyncIterableIterator<readonly ChatChunk[]> = {
    [Symbol.asyncIterator]: () => batches,
    async next() {
      while (phase === 'reading') {
        const piece = await pieces.next();
        const batch = piece.done === true ? readLast() : readPiece(piece.value);
        if (batch.length > 0) return { done: false, value: batch };
        onSignOfLife?.();
      }
      const reached = phase;
      phase = 'over';
      if (reached === 'failed') throw failure;
      return reached === 'ended' && readEnd !== undefined ? { done: false, value: [readEnd()] } : END;
    },
    async return() {
      phase = 'over';
      await pieces.return?.();
      return END;
    },
  };
  return batches;
}

/** Only the blank line is missing when this can be read; otherwise the stream was cut within an event. */
function readUnfinished(data: string, readEvent: ReadEvent, providerName: string): ReturnType<ReadEvent> {
  if (!isJson(data) && !isBlank(data) && !isDoneMarker(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} ended its response in the middle of an event`);
  }
  return readEvent(data);
}

function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

/** True for an event that only keeps the connection open. */
export const isBlank = (data: string): boolean => data.length < 16 && data.trim() === '';

/** True for the marker with which OpenAI's wire ends a completion. */
export const isDoneMarker = (data: string): boolean => data.length < 16 && data.trim().toUpperCase() === '[DONE]';

/** Parses what upstream sent; undefined when it is no JSON, as a proxy's page or half a body is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The same, but throws `provider_unavailable` when it is no JSON. `what`: what was asked for, in words. */
export function parseReturned(text: string, providerName: string, what = 'something'): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new GatewayError('provider_unavailable', `${providerName} returned ${what} that is not JSON`, { cause });
  }
}

/** Whether a value from upstream is an HTTP status of an error. */
export const isErrorStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 400 && value < 600;
