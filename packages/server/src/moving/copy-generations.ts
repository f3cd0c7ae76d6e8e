import type { GenerationRecord, Store } from '@model-gateway/core';

/** How far a copy is, of about how many. */
export type OnProgress = (done: number, total: number) => void;

/** Enough for a store that writes in batches, and few enough to hold in memory with their contents. */
const AT_ONCE = 128;
const PAGE = 500;

type Generations = Store['generations'];

export interface GenerationCopy {
  readonly from: Generations;
  readonly to: Generations;
  /** Leaves out what began earlier, in Unix milliseconds: the target would drop it. */
  readonly sinceMs?: number | undefined;
  readonly onProgress: OnProgress;
}

/** Copies generations with their contents, oldest first. One that the target has already stays as it is there. */
export async function copyGenerations({ from, to, sinceMs = 0, onProgress }: GenerationCopy): Promise<number> {
  const ids = await listIds(from, sinceMs);
  let next = 0;
  let done = 0;
  let turn: Promise<void> = Promise.resolve();
  const copyNext = async (): Promise<void> => {
    const id = ids[next++] ?? '';
    const before = turn;
    let pass = (): void => undefined;
    turn = new Promise((resolve) => (pass = resolve));
    try {
      const [record, content] = await Promise.all([from.get(id), from.getContent(id)]);
      // Reading is done side by side, but what is begun later is appended later: lists are in that order.
      await before;
      const added = record === undefined ? undefined : put(to, record, content ?? null);
      pass();
      await added;
    } finally {
      pass();
    }
    done += 1;
    if (done % PAGE === 0) onProgress(done, ids.length);
  };
  const copyAll = async (): Promise<void> => {
    while (next < ids.length) await copyNext();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyAll));
  onProgress(done, ids.length);
  return done;
}

async function put(to: Generations, record: GenerationRecord, content: Parameters<Generations['append']>[1]) {
  try {
    await to.append(record, content);
  } catch (error) {
    if ((await to.get(record.generation.id)) === undefined) throw error;
  }
}

/** Oldest first, as they were appended. */
async function listIds(from: Generations, sinceMs: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let before: string | undefined;
  for (;;) {
    const { records, next } = await from.page({ limit: PAGE, before });
    for (const { generation } of records) if (Date.parse(generation.created_at) >= sinceMs) ids.push(generation.id);
    if (next === null) return ids.toReversed();
    before = next;
  }
}
