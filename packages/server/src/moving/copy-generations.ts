import type { GenerationRecord, Store } from '@model-gateway/core';

/** How far a copy is, of about how many. */
export type OnProgress = (done: number, total: number) => void;

/** Enough for a store that writes in batches, and few enough to hold in memory with their contents. */
const AT_ONCE = 256;
const PAGE = 500;
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024;

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
  let bytesAtOnce = 0;
  let onSpace: (() => void)[] = [];
  const take = async (): Promise<void> => {
    while (next < ids.length) {
      const id = ids[next++] ?? '';
      const record = await from.get(id);
      if (record !== undefined) {
        const content = (await from.getContent(id)) ?? null;
        const bytes = content === null ? 0 : JSON.stringify(content).length;
        while (bytesAtOnce > 0 && bytesAtOnce + bytes > MAX_BYTES_AT_ONCE) {
          await new Promise<void>((resolve) => onSpace.push(resolve));
        }
        bytesAtOnce += bytes;
        try {
          await put(to, record, content);
        } finally {
          bytesAtOnce -= bytes;
          const waiting = onSpace;
          onSpace = [];
          for (const resolve of waiting) resolve();
        }
      }
      done += 1;
      if (done % PAGE === 0) onProgress(done, ids.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
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
