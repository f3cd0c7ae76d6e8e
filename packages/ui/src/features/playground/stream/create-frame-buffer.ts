/** Calls back before the next paint: `requestAnimationFrame`, which rests while the page is hidden. */
export type Schedule = (callback: () => void) => void;

export interface FrameBuffer<Item> {
  push(item: Item): void;
  /** Hands on what is left, at once. */
  flush(): void;
}

/** Collects what comes in and hands it on once a frame, so that drawing costs the same however fast tokens come. */
export function createFrameBuffer<Item>(schedule: Schedule, take: (items: readonly Item[]) => void): FrameBuffer<Item> {
  let items: Item[] = [];
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    if (items.length === 0) return;
    const taken = items;
    items = [];
    take(taken);
  };
  return {
    push(item) {
      items.push(item);
      if (isScheduled) return;
      isScheduled = true;
      schedule(flush);
    },
    flush,
  };
}
