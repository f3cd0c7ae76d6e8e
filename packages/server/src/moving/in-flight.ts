/** Things that are done side by side, as many as there is room for. */
export interface InFlight {
  /** Begins one as soon as there is room; resolves when it has begun. Rejects once one has failed. */
  add(size: number, run: () => Promise<void>): Promise<void>;
  /** Resolves when all are done; rejects when one has failed. */
  end(): Promise<void>;
}

/** For one caller that waits for each `add`. What is larger than all of the room is done alone. */
export function createInFlight(room: { readonly count: number; readonly size: number }): InFlight {
  let count = 0;
  let size = 0;
  let failure: { readonly error: unknown } | undefined;
  let onDone = (): void => undefined;
  const next = (): Promise<void> => new Promise((resolve) => (onDone = resolve));
  const check = (): void => {
    if (failure !== undefined) throw failure.error;
  };
  return {
    async add(added, run) {
      while (count > 0 && (count >= room.count || size + added > room.size)) await next();
      check();
      count += 1;
      size += added;
      void run()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          count -= 1;
          size -= added;
          onDone();
        });
    },
    async end() {
      while (count > 0) await next();
      check();
    },
  };
}
