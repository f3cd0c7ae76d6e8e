import type { FrameText } from './dialect.ts';

const encoder = new TextEncoder();
type Taken = IteratorResult<Uint8Array>;

const END: Taken = { done: true, value: undefined };

/** Frames that wait for their reader, or a reader that waits for frames. */
export interface FrameOutlet {
  /** Hands frames to the reader that waits, or holds them until there is one. Pieces are taken when they are read. */
  push(frames: FrameText): void;
  /** Ends the outlet. Frames that are held can still be read. */
  end(): void;
  discard(): void;
  isEmpty(): boolean;
  isAwaited(): boolean;
  /** The frames that are held, as one piece or several, or the next ones; `onWait` is called when there are none yet. */
  next(onWait: () => void): Promise<IteratorResult<Uint8Array>>;
}

export function createFrameOutlet(): FrameOutlet {
  let held = '';
  /** Frames in pieces, and whatever comes after them, in order. */
  let later: FrameText[] = [];
  let pieces: Iterator<string> | null = null;
  let isOver = false;
  let reader: ((result: Taken | Promise<Taken>) => void) | undefined;

  const hasPieces = (): boolean => pieces !== null || later.length > 0;

  /** Moves what comes next into `held`: a text, or one piece. */
  const advance = (): void => {
    while (held === '' && hasPieces()) {
      if (pieces === null) {
        const next = later.shift() ?? '';
        if (typeof next === 'string') held = next;
        else pieces = next[Symbol.iterator]();
      } else {
        const { done, value } = pieces.next();
        if (done === true) pieces = null;
        else held = value;
      }
    }
  };
  const take = (): Taken => {
    if (held === '') return END;
    const value = encoder.encode(held);
    held = '';
    return { done: false, value };
  };
  const serve = (): void => {
    const resolve = reader;
    reader = undefined;
    resolve?.(hasPieces() ? takePiece() : take());
  };
  /** A piece may fail to be made; it is not empty. */
  const takePiece = async (): Promise<Taken> => {
    advance();
    return take();
  };

  return {
    push(frames) {
      if (typeof frames === 'string' && pieces === null && later.length === 0) held += frames;
      else later.push(frames);
      if (reader !== undefined) serve();
    },
    end() {
      isOver = true;
      serve();
    },
    discard() {
      held = '';
      pieces = null;
      later = [];
    },
    isEmpty: () => held === '' && !hasPieces(),
    isAwaited: () => reader !== undefined,
    next(onWait) {
      try {
        if (hasPieces()) advance();
      } catch (error) {
        return Promise.reject(error instanceof Error ? error : new Error(String(error)));
      }
      if (held !== '' || isOver) return Promise.resolve(take());
      return new Promise((resolve) => {
        reader = resolve;
        onWait();
      });
    },
  };
}
