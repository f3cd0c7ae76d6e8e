import type { Store } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toContent, toRecord } from '../../test/support/stores/generation-records.ts';
import { median } from '../report/statistics.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Number of days over which the generations are spread, as in daily logs. */
const DAYS = 20;
const AT_ONCE = 1000;
export const PAGE_SIZE = 50;
const PAGES = 200;

/** Fills a data directory with generations of the last weeks, through the store itself. */
export async function storeGenerations(dir: string, count: number): Promise<void> {
  const startMs = Date.now() - DAYS * DAY_MS;
  let nowMs = startMs;
  const store = await createJsonFileStore({ dir, now: () => nowMs });
  for (let first = 0; first < count; first += AT_ONCE) {
    nowMs = startMs + (first / count) * DAYS * DAY_MS;
    const batch = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) =>
      appendOne(store, first + i, nowMs),
    );
    await Promise.all(batch);
  }
  await store.close();
}

const idOf = (index: number): string => `gen-bench-${String(index).padStart(20, '0')}`;

function appendOne(store: Store, index: number, nowMs: number): Promise<void> {
  const record = toRecord(idOf(index), {
    principalId: `key-${index % 20}`,
    generation: {
      created_at: new Date(nowMs).toISOString(),
      request_id: `req-${index}`,
      upstream_id: `chatcmpl-${index}`,
      user_agent: 'OpenAI/JS 7.57.0',
      native_finish_reason: 'stop',
      tokens_prompt: 1200,
      tokens_completion: 340,
      native_tokens_prompt: 1200,
      native_tokens_completion: 340,
      latency: 412,
      generation_time: 5210,
      provider_responses: [{ endpoint_id: 'acme:chat-1', latency: 412, provider_name: 'Acme', status: 200 }],
    },
  });
  return store.generations.append(record, toContent(`${index} ${'and so on, '.repeat(40)}`));
}

/** Reads pages that were not read before, from all parts of a store; resolves with the time of a typical page. */
export async function timePages(dir: string, count: number): Promise<number> {
  const store = await createJsonFileStore({ dir });
  try {
    const times: number[] = [];
    for (let i = 1; i <= PAGES; i += 1) {
      const before = idOf(Math.floor((count * i) / PAGES) - 1);
      const startedAt = performance.now();
      const { records } = await store.generations.page({ limit: PAGE_SIZE, before });
      times.push(performance.now() - startedAt);
      if (records.length === 0) throw new Error(`There was no page before ${before}`);
    }
    return median(times);
  } finally {
    await store.close();
  }
}
