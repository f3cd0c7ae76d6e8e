import { createPostgresStore } from '@model-gateway/postgres';

import { toMeasuredQueries } from './million-queries.ts';

export interface Measured {
  readonly name: string;
  readonly isFast: boolean;
  readonly grows?: string | undefined;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly isCut: boolean;
}

const WARM_UP = 3;
const OPENINGS = 3;

/** Takes the times of all queries, one after the other, at a database. */
export async function measureQueries(url: string, endMs: number, runs: number): Promise<Measured[]> {
  const open = (): ReturnType<typeof createPostgresStore> =>
    createPostgresStore({ url, retentionDays: 100_000, now: () => endMs });
  const measured: Measured[] = [await measureOpening(open)];
  const store = await open();
  try {
    for (const { name, isFast, grows, run } of toMeasuredQueries(endMs)) {
      const times: number[] = [];
      let isCut = false;
      for (let at = -WARM_UP; at < runs; at += 1) {
        const startedAt = performance.now();
        const { searchedFromMs } = await run(store.generations);
        if (at >= 0) times.push(performance.now() - startedAt);
        isCut ||= searchedFromMs !== undefined;
      }
      times.sort((a, b) => a - b);
      const at = (part: number): number => times[Math.ceil(times.length * part) - 1] ?? 0;
      measured.push({ name, isFast, grows, p50Ms: at(0.5), p95Ms: at(0.95), isCut });
    }
    return measured;
  } finally {
    await store.close();
  }
}

/** A gateway listens once its store is open. */
async function measureOpening(open: () => ReturnType<typeof createPostgresStore>): Promise<Measured> {
  const times: number[] = [];
  for (let at = 0; at < OPENINGS; at += 1) {
    const startedAt = performance.now();
    const store = await open();
    times.push(performance.now() - startedAt);
    await store.close();
  }
  times.sort((a, b) => a - b);
  return { name: 'opening', isFast: false, p50Ms: times[1] ?? 0, p95Ms: times.at(-1) ?? 0, isCut: false };
}
