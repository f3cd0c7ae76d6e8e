import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';

/** Bytes of texts that are packed together: some 180 records, which take 0.1 ms to pack and as long to unpack. */
const SLAB_BYTES = 64 * 1024;
/** What a character of a string takes in UTF-8 at most. */
const MAX_BYTES_PER_CHARACTER = 3;
const PACKING = { level: constants.Z_BEST_SPEED };

/** Texts as bytes outside of the heap, one after the other. */
export interface TextSlab {
  /** All texts in their order. Those of a packed slab are unpacked at each first read after one of another slab. */
  readonly bytes: Buffer;
}

/** Where a text lies in a slab, in bytes. */
export interface TextPlace {
  readonly slab: TextSlab;
  readonly from: number;
  readonly to: number;
}

/** Texts that are much alike, such as records of calls; they are released with this. */
export interface PackedTexts {
  add(text: string): TextPlace;
}

/** Creates an empty collection. Texts are written to a slab, which is packed when it is full (docs/decisions/0123). */
export function createPackedTexts(): PackedTexts {
  /** Whoever reads a text mostly reads its neighbours next. */
  let unpacked: { readonly slab: TextSlab; readonly bytes: Buffer } | undefined;
  const unpack = (slab: TextSlab, packed: Buffer): Buffer => {
    if (unpacked?.slab !== slab) unpacked = { slab, bytes: inflateRawSync(packed) };
    return unpacked.bytes;
  };
  let open: OpenSlab | undefined;
  return {
    add(text) {
      const mostBytes = text.length * MAX_BYTES_PER_CHARACTER;
      if (mostBytes > SLAB_BYTES) return toPlace(Buffer.from(text));
      if (open !== undefined && mostBytes > open.free) {
        open.pack();
        open = undefined;
      }
      open ??= openSlab(unpack);
      return open.write(text);
    },
  };
}

/** A text that no slab has room for. */
const toPlace = (bytes: Buffer): TextPlace => ({ slab: { bytes }, from: 0, to: bytes.length });

interface OpenSlab {
  /** Bytes that are left. */
  readonly free: number;
  /** The text must have room. */
  write(text: string): TextPlace;
  /** Must be the last call. */
  pack(): void;
}

function openSlab(unpack: (slab: TextSlab, packed: Buffer) => Buffer): OpenSlab {
  let bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
  let isPacked = false;
  let used = 0;
  const slab: TextSlab = {
    get bytes() {
      return isPacked ? unpack(slab, bytes) : bytes;
    },
  };
  return {
    get free() {
      return SLAB_BYTES - used;
    },
    write(text) {
      const from = used;
      used += bytes.write(text, from);
      return { slab, from, to: used };
    },
    pack() {
      const packed = deflateRawSync(bytes.subarray(0, used), PACKING);
      // zlib's result lies in a larger buffer, which would stay with it.
      bytes = Buffer.allocUnsafeSlow(packed.length);
      packed.copy(bytes);
      isPacked = true;
    },
  };
}
