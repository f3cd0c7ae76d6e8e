import { weighText } from '../../calls/estimate-usage.ts';
import type { Scratch } from '../../foundation/platform.ts';

/** A long text that is held only for the record: outside of the heap, where no collector moves or marks it. */
export interface SpilledText {
  /** Takes a text in, all but a last half of a character, which is returned. */
  append(text: string): string;
  /** Returns the text so far; null when it has been dropped. Releases it, so it must be the last call. */
  readBack(): string | null;
  /** Length of the text so far, whether or not it is still held: in UTF-16 code units, and according to `weighText`. */
  readonly length: number;
  readonly weight: number;
}

/** Limits of a text, and its storage. */
export interface SpillOptions {
  /** In UTF-16 code units. A longer text is dropped. */
  readonly maxLength: number;
  /** Default: in memory. */
  readonly openScratch?: (() => Scratch) | undefined;
}

/** Large, so that held texts are not scattered among short-lived buffers; unused space costs nothing. */
const SLAB_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

interface Spilled {
  append: SpilledText['append'];
  readBack: SpilledText['readBack'];
  length: number;
  weight: number;
}

/** Creates an empty one. Texts are best appended by tens of kilobytes. */
export function createSpilledText({ maxLength, openScratch = createSlabs }: SpillOptions): SpilledText {
  let scratch: Scratch | null = openScratch();
  const letGo = (): void => {
    scratch?.close();
    scratch = null;
  };
  const spilled: Spilled = {
    length: 0,
    weight: 0,
    append(text) {
      const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
      const whole = text.slice(0, end);
      spilled.length += end;
      spilled.weight += weighText(whole);
      if (spilled.length > maxLength) letGo();
      scratch?.append(encoder.encode(whole));
      return text.slice(end);
    },
    readBack() {
      const pieces = scratch?.read() ?? null;
      letGo();
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      return pieces && pieces.map((bytes) => decoder.decode(bytes, { stream: true })).join('');
    },
  };
  return spilled;
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

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
