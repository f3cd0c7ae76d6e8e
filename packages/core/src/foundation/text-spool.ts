import type { Scratch } from './platform.ts';

/** A long text that is put aside while it grows: outside of the heap, where no collector moves or marks it. */
export interface TextSpool {
  /** Takes a text in, all but a last half of a character, which is returned. Texts are best appended by tens of kilobytes. */
  append(text: string): string;
  /** The text so far, piece by piece, again at each call. Throws where it cannot be read again, or was let go. */
  read(): Iterable<string>;
  /** Lets the text go. Further calls have no effect. */
  close(): void;
}

/** Large, so that held texts are not scattered among short-lived buffers; unused space costs nothing. */
const SLAB_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

/** Creates an empty one. Default: in memory. */
export function createTextSpool(openScratch: () => Scratch = createSlabs): TextSpool {
  return new Spool(openScratch());
}

/** Whether a value is a text that is put aside. */
export const isTextSpool = (value: unknown): value is TextSpool => value instanceof Spool;

class Spool implements TextSpool {
  private scratch: Scratch | null;

  constructor(scratch: Scratch) {
    this.scratch = scratch;
  }

  append(text: string): string {
    const whole = withoutHalf(text);
    if (whole !== '') this.scratch?.append(encoder.encode(whole));
    return text.slice(whole.length);
  }

  *read(): Generator<string> {
    const pieces = this.scratch?.read() ?? null;
    if (pieces === null) throw new Error('A text that was put aside cannot be read again');
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (const bytes of pieces) yield decoder.decode(bytes, { stream: true });
  }

  close(): void {
    this.scratch?.close();
    this.scratch = null;
  }
}

/** A scratch in memory. */
function createSlabs(): Scratch {
  const slabs: Uint8Array[] = [];
  let slab = new Uint8Array();
  let used = 0;
  return {
    append(bytes) {
      for (let at = 0; at < bytes.length;) {
        if (used === slab.length) {
          slab = new Uint8Array(SLAB_BYTES);
          slabs.push(slab);
          used = 0;
        }
        const part = bytes.subarray(at, at + SLAB_BYTES - used);
        slab.set(part, used);
        at += part.length;
        used += part.length;
      }
    },
    read: () => slabs.map((each) => (each === slab ? each.subarray(0, used) : each)),
    close: () => undefined,
  };
}

/** A text without the half of a character at its end, if there is one. */
export function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}
