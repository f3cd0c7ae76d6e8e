/** The place in a group of charts that the mouse or the keyboard points at. */
export interface ChartPointer {
  /** The bucket; null for none. */
  readonly index: number | null;
  /** The other end of a range of buckets that is being chosen. */
  readonly anchor: number | null;
  /** Name of the series that is brought out; null for none. */
  readonly highlighted: string | null;
}

/** What links the charts of a group: all of them show the same place. */
export interface ChartLink {
  get(): ChartPointer;
  set(change: Partial<ChartPointer>): void;
  subscribe(listener: () => void): () => void;
}

const NOWHERE: ChartPointer = { index: null, anchor: null, highlighted: null };

export function createChartLink(): ChartLink {
  let pointer = NOWHERE;
  const listeners = new Set<() => void>();
  return {
    get: () => pointer,
    set(change) {
      const next = { ...pointer, ...change };
      const isSame =
        next.index === pointer.index && next.anchor === pointer.anchor && next.highlighted === pointer.highlighted;
      if (isSame) return;
      pointer = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
