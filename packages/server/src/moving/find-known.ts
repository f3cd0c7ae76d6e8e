import type { GenerationRecord, Store } from '@model-gateway/core';

type FindKnown = (records: readonly GenerationRecord[]) => Promise<ReadonlySet<string>>;

const PAGE = 500;

/** Looks in a store whose reads cost nothing. */
export function findOneByOne(to: Store['generations']): FindKnown {
  return async (records) => {
    const known = new Set<string>();
    for (const { generation } of records) if ((await to.get(generation.id)) !== undefined) known.add(generation.id);
    return known;
  };
}

/** Looks in a store that is asked over a network: pages of the same time are far fewer than generations. */
export function findInPages(to: Store['generations']): FindKnown {
  return async (records) => {
    const known = new Set<string>();
    if (records.length === 0) return known;
    const times = records.map(({ generation }) => Date.parse(generation.created_at));
    const filter = { createdFromMs: Math.min(...times), createdBeforeMs: Math.max(...times) + 1 };
    let before: string | undefined;
    do {
      const page = await to.page({ limit: PAGE, filter, before });
      for (const { generation } of page.records) known.add(generation.id);
      before = page.next ?? undefined;
    } while (before !== undefined);
    return known;
  };
}
