/** The place of a text in its ring. */
export interface RingText {
  readonly slab: Slab;
  readonly at: number;
  readonly length: number;
}

/**
 * Keeps many texts outside of the heap, best let go in about the order in which they came: thousands of them in the heap
 * are copied from its young to its old part, and their garbage waits there for a full collection, which a process with
 * much memory puts off (docs/decisions/0052).
 */
interface TextRing {
  keep(text: string): RingText;
  read(kept: RingText): string;
  /** Call once for each text. Its room is used again when all that came with it are let go. */
  letGo(kept: RingText): void;
}

interface Slab {
  readonly bytes: Uint8Array;
  used: number;
  /** Texts in it that are kept. */
  texts: number;
}

const SLAB_BYTES = 256 * 1024;
/** Slabs without a text that are kept for the next ones. */
const SPARE_SLABS = 4;

const encoder = new TextEncoder();
// A byte order mark is part of the text that it stands in.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Creates an empty one. */
export function createTextRing(): TextRing {
  const spare: Slab[] = [];
  let open = createSlab(SLAB_BYTES);

  const makeRoom = (): void => {
    if (open.texts > 0) open = spare.pop() ?? createSlab(SLAB_BYTES);
    open.used = 0;
  };
  const keepAlone = (text: string): RingText => {
    const bytes = encoder.encode(text);
    return { slab: { bytes, used: bytes.length, texts: 1 }, at: 0, length: bytes.length };
  };

  return {
    keep(text) {
      // A character takes at most three bytes.
      if (text.length * 3 > SLAB_BYTES / 4) return keepAlone(text);
      if (open.used + text.length * 3 > SLAB_BYTES) makeRoom();
      const { used: at, bytes } = open;
      const { written: length } = encoder.encodeInto(text, at === 0 ? bytes : bytes.subarray(at));
      open.used += length;
      open.texts += 1;
      return { slab: open, at, length };
    },
    read: ({ slab, at, length }) => decoder.decode(slab.bytes.subarray(at, at + length)),
    letGo({ slab }) {
      slab.texts -= 1;
      if (slab.texts === 0 && slab !== open && slab.bytes.length === SLAB_BYTES && spare.length < SPARE_SLABS)
        spare.push(slab);
    },
  };
}

const createSlab = (size: number): Slab => ({ bytes: new Uint8Array(size), used: 0, texts: 0 });
