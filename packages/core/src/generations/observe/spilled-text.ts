import { weighText } from '../../calls/texts.ts';
import type { Scratch } from '../../foundation/platform.ts';
import { createTextSpool, type TextSpool, withoutHalf } from '../../foundation/text-spool.ts';

/** A long text that is held only for the record. */
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

interface Spilled {
  append: SpilledText['append'];
  readBack: SpilledText['readBack'];
  length: number;
  weight: number;
}

/** Creates an empty one. Texts are best appended by tens of kilobytes. */
export function createSpilledText({ maxLength, openScratch }: SpillOptions): SpilledText {
  let spool: TextSpool | null = createTextSpool(openScratch);
  const letGo = (): void => {
    spool?.close();
    spool = null;
  };
  const spilled: Spilled = {
    length: 0,
    weight: 0,
    append(text) {
      const whole = withoutHalf(text);
      spilled.length += whole.length;
      spilled.weight += weighText(whole);
      if (spilled.length > maxLength) letGo();
      spool?.append(whole);
      return text.slice(whole.length);
    },
    readBack() {
      try {
        return spool && [...spool.read()].join('');
      } catch {
        return null;
      } finally {
        letGo();
      }
    },
  };
  return spilled;
}
