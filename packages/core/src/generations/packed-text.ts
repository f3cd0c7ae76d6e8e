/**
 * A long text that is kept for the record alone, as bytes outside of the heap, where no collector moves or marks it.
 */
export interface PackedText {
  /** Takes a text in, all but a last half of a character, which is returned. */
  append(text: string): string;
  unpack(): string;
}

/** Large, so that what is kept does not lie scattered among buffers that come and go; what is not used costs nothing. */
const SLAB_BYTES = 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Creates an empty one. */
export function createPackedText(): PackedText {
  const full: Uint8Array[] = [];
  let slab = new Uint8Array(SLAB_BYTES);
  let used = 0;
  return {
    append(text) {
      const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
      for (let at = 0; at < end;) {
        const { read, written } = encoder.encodeInto(text.slice(at, end), slab.subarray(used));
        at += read;
        used += written;
        if (at === end) break;
        full.push(slab.subarray(0, used));
        slab = new Uint8Array(SLAB_BYTES);
        used = 0;
      }
      return text.slice(end);
    },
    unpack: () => [...full, slab.subarray(0, used)].map((bytes) => decoder.decode(bytes)).join(''),
  };
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
