import type { StoredContent } from '../stores/generations.ts';
import { type PutBlock, toPackedJson, toStoredForm } from '../stores/kit/content-form.ts';
import type { GenerationContent } from '../wire/generation.ts';

type Output = GenerationContent['output'];

/** A text of megabytes that is put aside. It is read again when it is needed, piece by piece or as a whole. */
export class LongText {
  private readonly read: () => Iterable<string>;
  private readonly rest: string;
  private isRead = false;
  private text: string | undefined = undefined;

  /** `read` reads its beginning again, at each call; `rest` is what was not put aside. */
  constructor(read: () => Iterable<string>, rest: string) {
    this.read = read;
    this.rest = rest;
  }

  /** Throws a `LostTextError` where it cannot be read again. */
  *pieces(): Generator<string> {
    this.isRead = true;
    if (this.text !== undefined) return yield this.text;
    try {
      yield* this.read();
    } catch (cause) {
      throw new LostTextError('A text that was put aside cannot be read again', { cause });
    }
    yield this.rest;
  }

  /** All of it. From then on it is in memory. Throws as `pieces`. */
  whole(): string {
    return (this.text ??= [...this.pieces()].join(''));
  }

  /** Takes it into memory if nobody has read it yet. Whoever reads one that is lost is told so then. */
  keep(): void {
    if (this.isRead) return;
    try {
      this.whole();
    } catch (error) {
      if (!(error instanceof LostTextError)) throw error;
    }
  }
}

/** A text was put aside, and the disk no longer gives it back. */
export class LostTextError extends Error {}

/** The long texts of an output, by their members. */
export type LongTexts = Partial<Record<'completion' | 'reasoning', LongText>>;

const longTexts = new WeakMap<Output, LongTexts>();

/** Gives an output long texts, each of which is read when its member is read. Without any, the output stays as it is. */
export function withLongTexts(output: Output, texts: LongTexts): Output {
  const given = Object.entries(texts);
  if (given.length === 0) return output;
  const long = { ...output };
  for (const [name, text] of given) {
    Object.defineProperty(long, name, { enumerable: true, configurable: true, get: () => text.whole() });
  }
  longTexts.set(long, texts);
  return long;
}

/** Makes a content readable after its long texts are let go. Those that a store has read are in its hands by then. */
export function keepLongTexts({ output }: StoredContent): void {
  for (const text of Object.values(longTexts.get(output) ?? {})) text.keep();
}

/**
 * A content as the JSON that a store writes: as one text, and in pieces where a text of it is put aside. None of these is
 * longer than some tens of kilobytes of a long text. With `put`, which writes its blocks, it is packed.
 * Throws for what JSON cannot hold, and, while pieces are taken, a `LostTextError`.
 */
export function toContentJson(content: StoredContent, put?: PutBlock): string | Iterable<string> {
  const form = toStoredForm(content);
  const texts: LongTexts | undefined = longTexts.get(content.output);
  if (texts === undefined) return put === undefined ? JSON.stringify(form) : toPackedJson(form, put);
  const ofOutput = (name: string): Iterable<string> | undefined => {
    const text = texts[name as keyof LongTexts];
    return text && toJsonText(text);
  };
  // Blocks are written now: pieces are taken while the line of the content is being written.
  const packed = new Map<string, string>();
  if (put !== undefined) {
    for (const [name, value] of Object.entries(form)) {
      if (name !== 'output' && value !== undefined) packed.set(name, toPackedJson(value, put));
    }
  }
  return toObject(form, (name) => {
    const json = packed.get(name);
    if (json !== undefined) return [json];
    return name === 'output' ? toObject(content.output, ofOutput) : undefined;
  });
}

/** An object as JSON; `toPieces` gives those members that come in pieces. */
function* toObject(owner: object, toPieces: (name: string) => Iterable<string> | undefined): Generator<string> {
  let before = '{';
  for (const name of Object.keys(owner)) {
    const pieces = toPieces(name);
    const json = pieces === undefined ? JSON.stringify(owner[name as keyof typeof owner]) : '';
    // JSON leaves out what is undefined.
    if (json === undefined) continue;
    yield `${before}${JSON.stringify(name)}:${json}`;
    if (pieces !== undefined) yield* pieces;
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* toJsonText(text: LongText): Generator<string> {
  yield '"';
  for (const piece of text.pieces()) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}
