/** Takes `size` of the items, or all where there are fewer: the same ones, in the same order, for the same seed. */
export function takeSample<Item>(items: readonly Item[], size: number, seed: number): Item[] {
  const random = createRandom(seed);
  const left = [...items];
  const taken: Item[] = [];
  while (taken.length < size && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}

/** Mulberry32: 32 bits of state are plenty to choose from some thousand places. */
function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
