/** What a promise rejects with; rejects itself when that is nothing. */
export function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    (value) => {
      throw new Error(`it should have failed, but gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
