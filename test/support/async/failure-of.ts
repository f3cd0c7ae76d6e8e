/** Returns the error that a promise rejects with; rejects itself when the promise resolves. */
export function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    (value) => {
      throw new Error(`it should have failed, but gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
