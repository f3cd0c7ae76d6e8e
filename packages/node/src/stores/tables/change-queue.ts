/** Changes of one value, one after the other; those that come while a write is under way are written together. */
export interface ChangeQueue<Value> {
  /**
   * Makes a change on what the one before has left. Resolves when the result is durable. Rejects when the change throws,
   * which concerns no other, or when the write fails: nothing of that write has happened.
   */
  change(change: (value: Value) => Value): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export interface ChangeQueueOptions<Value> {
  /** The value of the last successful write. */
  readonly read: () => Value;
  /** Makes a value durable, which `read` returns from then on. Called for one value at a time. */
  readonly write: (value: Value) => Promise<void>;
}

interface Waiting<Value> {
  readonly change: (value: Value) => Value;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export function createChangeQueue<Value>({ read, write }: ChangeQueueOptions<Value>): ChangeQueue<Value> {
  let waiting: Waiting<Value>[] = [];
  let last: Promise<void> = Promise.resolve();
  const writeWaiting = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    const failures = new Map<Waiting<Value>, unknown>();
    let value = read();
    for (const one of taken) {
      try {
        value = one.change(value);
      } catch (error) {
        failures.set(one, error);
      }
    }
    try {
      if (failures.size < taken.length) await write(value);
    } catch (error) {
      // A change that has thrown may have done so for what another of this write had made, which is not there now.
      for (const { reject } of taken) reject(error);
      return;
    }
    for (const one of taken) {
      if (failures.has(one)) one.reject(failures.get(one));
      else one.resolve();
    }
  };
  return {
    change: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        if (waiting.length === 1) last = last.then(writeWaiting);
      }),
    settled: () => last,
  };
}
