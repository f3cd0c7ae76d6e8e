const CHUNK_BYTES = 256 * 1024;
/** Longer ones get bytes of their own: what a chunk has left for them would be lost. */
const LARGEST_TEXT_LENGTH = CHUNK_BYTES / 32;

/** A text in UTF-8 among others. Not a view of the bytes: that is an object of three times the size. */
export interface KeptText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Texts that are kept for long and seldom looked at. */
export interface TextPile {
  keep(text: string): KeptText;
}

/**
 * Creates a pile of texts outside of the heap, where the garbage collector neither moves nor marks them, with few large
 * allocations for many of them. A chunk goes when the last of its texts has gone.
 */
export function createTextPile(): TextPile {
  let chunk = Buffer.alloc(0);
  let chunkEnd = 0;
  return {
    keep(text) {
      if (text.length > LARGEST_TEXT_LENGTH) return toKeptText(Buffer.from(text));
      // Three bytes a code unit is the most UTF-8 can take.
      if (chunkEnd + text.length * 3 > chunk.length) {
        chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        chunkEnd = 0;
      }
      const start = chunkEnd;
      chunkEnd += chunk.write(text, start, 'utf8');
      return { bytes: chunk, start, end: chunkEnd };
    },
  };
}

/** Bytes that hold one text and nothing else. */
export function toKeptText(bytes: Buffer): KeptText {
  return { bytes, start: 0, end: bytes.length };
}

/** The text itself. */
export function readKeptText({ bytes, start, end }: KeptText): string {
  return bytes.toString('utf8', start, end);
}
