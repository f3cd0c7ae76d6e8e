const FIRST_CHUNK_BYTES = 4 * 1024;
const LARGEST_CHUNK_BYTES = 256 * 1024;
/** Longer texts get a chunk of their own; in a shared one they would waste the space that is left. */
const LARGEST_TEXT_LENGTH = LARGEST_CHUNK_BYTES / 32;

/** The place of a text and of its label, which is stored right before it. */
export interface TextPlace {
  readonly chunk: number;
  readonly start: number;
  /** The end of the label and the beginning of the text. */
  readonly middle: number;
  readonly end: number;
}

/** Texts that are stored for long and seldom read. */
export interface TextArena {
  /** `text` may be given as its bytes in UTF-8. */
  store(label: string, text: string | Uint8Array): TextPlace;
  read(chunk: number, start: number, end: number): string;
  /** The text as UTF-8; a view, not a copy. */
  bytesOf(chunk: number, start: number, end: number): Uint8Array;
  readonly bytes: number;
}

/**
 * Creates an arena of texts outside of the heap, in few large allocations that the garbage collector neither moves nor
 * marks. It only grows, and is released as a whole (docs/decisions/0022).
 */
export function createTextArena(): TextArena {
  const chunks: Buffer[] = [];
  let open = Buffer.alloc(0);
  let openAt = -1;
  let openEnd = 0;
  let bytes = 0;

  const addChunk = (chunk: Buffer): number => {
    bytes += chunk.length;
    return chunks.push(chunk) - 1;
  };
  const reserve = (length: number): void => {
    if (openEnd + length <= open.length) return;
    const size = Math.min(LARGEST_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, open.length * 2));
    open = Buffer.allocUnsafeSlow(Math.max(size, length));
    openAt = addChunk(open);
    openEnd = 0;
  };

  return {
    store(label, text) {
      if (label.length + text.length > LARGEST_TEXT_LENGTH) {
        const head = Buffer.from(label);
        const own = Buffer.concat([head, typeof text === 'string' ? Buffer.from(text) : text]);
        return { chunk: addChunk(own), start: 0, middle: head.length, end: own.length };
      }
      // UTF-8 takes at most three bytes for a code unit.
      reserve((label.length + text.length) * 3);
      const start = openEnd;
      const middle = start + open.write(label, start, 'utf8');
      if (typeof text === 'string') openEnd = middle + open.write(text, middle, 'utf8');
      else {
        open.set(text, middle);
        openEnd = middle + text.length;
      }
      return { chunk: openAt, start, middle, end: openEnd };
    },
    read: (chunk, start, end) => (chunks[chunk] as Buffer).toString('utf8', start, end),
    bytesOf: (chunk, start, end) => (chunks[chunk] as Buffer).subarray(start, end),
    get bytes() {
      return bytes;
    },
  };
}
