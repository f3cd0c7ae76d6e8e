const CHUNK_BYTES = 256 * 1024;
/** Longer ones get bytes of their own: what a chunk has left for them would be lost. */
const LARGEST_TEXT_LENGTH = CHUNK_BYTES / 32;

/** Texts that are kept for long and seldom looked at. */
export interface TextPile {
  /** Returns the text in UTF-8, as a view of bytes that it shares with others. */
  keep(text: string): Buffer;
}

/**
 * Creates a pile of texts outside of the heap, where the garbage collector neither moves nor marks them, with few large
 * allocations for many of them. A chunk goes when the last view of it has gone.
 */
export function createTextPile(): TextPile {
  let chunk = Buffer.alloc(0);
  let end = 0;
  return {
    keep(text) {
      if (text.length > LARGEST_TEXT_LENGTH) return Buffer.from(text);
      // Three bytes a code unit is the most UTF-8 can take.
      if (end + text.length * 3 > chunk.length) {
        chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
        end = 0;
      }
      const start = end;
      end += chunk.write(text, start, 'utf8');
      return chunk.subarray(start, end);
    },
  };
}
