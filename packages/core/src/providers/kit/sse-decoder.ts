import { createParser } from 'eventsource-parser';

import { GatewayError } from '../../foundation/errors.ts';

/** Decodes the bytes of one stream into the data of its events. */
export interface StreamDecoder {
  /** The data of every event that these bytes finished, in order. Throws `provider_unavailable` for what is no stream. */
  push(bytes: Uint8Array): readonly string[];
  /**
   * Ends the input. Returns the data of an event that only lacks its end; undefined when none was begun. Throws
   * `provider_unavailable` for an event that is cut.
   */
  end(): string | undefined;
}

/** Largest event accepted, in characters: a generated image travels as one event of several megabytes. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;
/** Where so many bytes have finished no event, pieces of an open line of data wait as bytes: text takes several times that. */
const LONG_LINE_BYTES = 64 * 1024;
const DATA = 'data:';
const LF = 10;
const CR = 13;

/** Drops comments, event names, ids and retry fields: no chat wire gives them a meaning that its data lacks. */
export function createSseDecoder(maxEventCharacters: number = MAX_EVENT_CHARACTERS): StreamDecoder {
  // Joins characters split between pieces. The byte order mark is left to the parser: stripping twice could take two.
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  let finished: string[] = [];
  let isOversized = false;
  let bytesSinceEvent = 0;
  let lineStart = '';
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const parser = createParser({
    onEvent: (event) => finished.push(event.data),
    onError: (error) => {
      isOversized ||= error.type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: maxEventCharacters,
  });

  const refuseOversized = (): void => {
    if (isOversized || waitingBytes > maxEventCharacters) {
      throw new GatewayError('provider_unavailable', 'The provider sent an event above the size limit');
    }
  };

  const feed = (piece: string): void => {
    parser.feed(piece);
    refuseOversized();
  };

  const feedWaiting = (): void => {
    const pieces = waiting;
    waiting = [];
    waitingBytes = 0;
    for (const piece of pieces) feed(text.decode(piece, { stream: true }));
  };

  return {
    push(bytes) {
      finished = [];
      if (bytesSinceEvent > LONG_LINE_BYTES && lineStart === DATA && !bytes.includes(LF) && !bytes.includes(CR)) {
        waiting.push(bytes);
        waitingBytes += bytes.byteLength;
        refuseOversized();
        return finished;
      }
      if (waitingBytes > 0) feedWaiting();
      feed(text.decode(bytes, { stream: true }));
      bytesSinceEvent = finished.length > 0 ? 0 : bytesSinceEvent + bytes.byteLength;
      lineStart = startOfOpenLine(lineStart, bytes);
      return finished;
    },
    end() {
      finished = [];
      feedWaiting();
      // A blank line closes an open event, and the parser then returns it.
      feed(`${text.decode()}\n\n`);
      return finished[0];
    },
  };
}

/** The first characters of the line that is open after a piece, as many as `data:` has. */
function startOfOpenLine(before: string, piece: Uint8Array): string {
  if (piece.at(-1) === LF) return '';
  const at = Math.max(piece.lastIndexOf(LF), piece.lastIndexOf(CR)) + 1;
  const start = String.fromCharCode(...piece.subarray(at, at + DATA.length));
  return at > 0 ? start : (before + start).slice(0, DATA.length);
}
