import { createStore, type StoreApi } from 'zustand/vanilla';

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
export interface ChartLink extends Omit<StoreApi<ChartPointer>, 'setState'> {
  /** Tells nothing when the place stays the same, as for most moves of a mouse. */
  set(change: Partial<ChartPointer>): void;
}

export function createChartLink(): ChartLink {
  const { setState, ...store } = createStore<ChartPointer>(() => ({ index: null, anchor: null, highlighted: null }));
  return {
    ...store,
    set(change) {
      const pointer = store.getState();
      const next = { ...pointer, ...change };
      const isSame =
        next.index === pointer.index && next.anchor === pointer.anchor && next.highlighted === pointer.highlighted;
      if (!isSame) setState(next);
    },
  };
}
