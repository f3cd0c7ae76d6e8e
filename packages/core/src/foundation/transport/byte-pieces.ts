/** Joins all pieces into one array of bytes. */
export async function readPieces(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let total = 0;
  for await (const piece of pieces) {
    read.push(piece);
    total += piece.byteLength;
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of read) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/**
 * A web stream that takes a piece only when asked, and calls `return()` when its reader leaves. `onEnd` runs once all of it
 * is over.
 */
export function toReadableStream(
  pieces: AsyncIterable<Uint8Array>,
  onEnd: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      let isOver = true;
      try {
        const { done, value } = await iterator.next();
        isOver = done === true;
        if (done === true) controller.close();
        else controller.enqueue(value);
      } finally {
        if (isOver) onEnd();
      }
    },
    async cancel() {
      try {
        await iterator.return?.();
      } finally {
        onEnd();
      }
    },
  });
}

/** Yields the same pieces. `onPiece` runs for each piece, `onError` with the error that ends them early. */
export async function* watchPieces(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: () => void,
  onError: (error: Error) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pieces) {
      onPiece();
      yield piece;
    }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    onError(error);
    throw error;
  }
}
