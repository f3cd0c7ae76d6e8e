/** What was waited for has not come in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/** Rejects with `TooLate` when the promise has not settled within the limit. */
export async function within<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    // A process that was busy for long finds the limit over and the reply unread: what has come in is read first.
    timer = setTimeout(() => setImmediate(() => reject(new TooLate(`no reply within ${limitMs} ms`))), limitMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
