const encoder = new TextEncoder();
const END: IteratorResult<Uint8Array> = { done: true, value: undefined };

/** Frames that wait for their reader, or a reader that waits for frames. */
export interface FrameOutlet {
  /** Hands frames to the reader that waits, or holds them until there is one. */
  push(text: string): void;
  /** Ends the outlet. Frames that are held can still be read. */
  end(): void;
  discard(): void;
  isEmpty(): boolean;
  isAwaited(): boolean;
  /** The frames that are held, as one piece, or the next ones; `onWait` is called when there are none yet. */
  next(onWait: () => void): Promise<IteratorResult<Uint8Array>>;
}

export function createFrameOutlet(): FrameOutlet {
  let held = '';
  let isOver = false;
  let reader: ((result: IteratorResult<Uint8Array>) => void) | undefined;

  const take = (): IteratorResult<Uint8Array> => {
    if (held === '') return END;
    const value = encoder.encode(held);
    held = '';
    return { done: false, value };
  };
  const serve = (): void => {
    const resolve = reader;
    reader = undefined;
    resolve?.(take());
  };

  return {
    push(text) {
      held += text;
      if (reader !== undefined) serve();
    },
    end() {
      isOver = true;
      serve();
    },
    discard() {
      held = '';
    },
    isEmpty: () => held === '',
    isAwaited: () => reader !== undefined,
    next(onWait) {
      if (held !== '' || isOver) return Promise.resolve(take());
      return new Promise((resolve) => {
        reader = resolve;
        onWait();
      });
    },
  };
}
