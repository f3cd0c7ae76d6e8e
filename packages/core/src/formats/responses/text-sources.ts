import { isRecord, type Unchecked } from '../../foundation/parse.ts';

/** The sources of a completion that have not been written yet. */
export interface TextSources {
  /** Takes annotations in the form of chats. Those without an address have no place here. */
  add(annotations: readonly unknown[]): void;
  /** Takes sources that upstream lists beside the message; a later list is the whole one. */
  list(citations: readonly unknown[]): void;
  /** Adds what is listed and belongs to no passage. Call it at the end, before the last `take`. */
  addListed(): void;
  /** The sources so far, with places in a text that begins after that many characters of the completion. */
  take(begin: number): readonly Unchecked[];
  /**
   * Gives sources to the texts that they are of, which have ended: those with a place before a text that begins after
   * that many characters, and without `begin` all that are left, those without a place to the last text.
   */
  giveBack(ended: readonly EndedText[], begin?: number): void;
}

/** A text that has ended. `begin`: the characters of the completion before it. */
export interface EndedText {
  readonly begin: number;
  readonly annotations: object[];
}

export function createTextSources(): TextSources {
  let waiting: Unchecked[] = [];
  let listed: readonly unknown[] = [];
  const known = new Set<string>();
  const add = (source: Unchecked): void => {
    const { url } = source;
    if (typeof url !== 'string') return;
    known.add(url);
    waiting.push({ ...source, title: typeof source['title'] === 'string' ? source['title'] : url });
  };
  return {
    add(annotations) {
      for (const annotation of annotations) {
        if (!isRecord(annotation) || annotation['type'] !== 'url_citation') continue;
        const { url_citation: nested } = annotation;
        add(isRecord(nested) ? nested : annotation);
      }
    },
    list: (citations) => void (listed = citations),
    addListed() {
      const sources = listed.map((citation) => (typeof citation === 'string' ? { url: citation } : citation));
      listed = [];
      for (const source of sources) if (isRecord(source) && !known.has(String(source['url']))) add(source);
    },
    take(begin) {
      const taken = waiting.map((source) => toFlat(source, begin));
      waiting = [];
      return taken;
    },
    giveBack(ended, begin = Number.POSITIVE_INFINITY) {
      if (waiting.length === 0 || ended.length === 0) return;
      waiting = waiting.filter((source) => {
        const { start_index: start, end_index: end } = source;
        const hasPlace = typeof start === 'number' && typeof end === 'number' && end > 0;
        if (!(hasPlace ? end <= begin : begin === Number.POSITIVE_INFINITY)) return true;
        const text = hasPlace ? ended.findLast((one) => one.begin <= start) : ended.at(-1);
        text?.annotations.push(toFlat(source, text.begin));
        return text === undefined;
      });
    },
  };
}

/** Chats count places from the beginning of the completion, this form from that of the text. */
function toFlat({ url, title, start_index: start, end_index: end, ...others }: Unchecked, begin: number): Unchecked {
  const placeOf = (index: unknown): number => (typeof index === 'number' ? Math.max(0, index - begin) : 0);
  return { ...others, type: 'url_citation', url, title, start_index: placeOf(start), end_index: placeOf(end) };
}
