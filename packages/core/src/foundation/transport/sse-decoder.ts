import { createParser } from 'eventsource-parser';

import { GatewayError } from '../errors.ts';

/** Largest event accepted, in characters: a generated image travels as one event of several megabytes. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Decodes bytes into the data of finished events. One per response; not reusable. */
export interface SseDecoder {
  /** The data of every event that these bytes finished, in order. Throws `provider_unavailable` on an oversized one. */
  push(bytes: Uint8Array): readonly string[];
  /** Ends the input. Returns the data of an event without its blank line; undefined when none was begun. */
  end(): string | undefined;
}

/** Drops comments, event names, ids and retry fields: no chat wire gives them a meaning that its data lacks. */
export function createSseDecoder(maxEventCharacters: number = MAX_EVENT_CHARACTERS): SseDecoder {
  // Joins characters split between pieces. The byte order mark is left to the parser: stripping twice could take two.
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  let finished: string[] = [];
  let isOversized = false;
  const parser = createParser({
    onEvent: (event) => finished.push(event.data),
    onError: (error) => {
      isOversized ||= error.type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: maxEventCharacters,
  });

  const feed = (piece: string): readonly string[] => {
    finished = [];
    parser.feed(piece);
    if (isOversized) {
      throw new GatewayError('provider_unavailable', 'The provider sent an event above the size limit');
    }
    return finished;
  };

  return {
    push: (bytes) => feed(text.decode(bytes, { stream: true })),
    // A blank line closes an open event, and the parser then returns it.
    end: () => feed(`${text.decode()}\n\n`)[0],
  };
}
