import type { Generation, Store } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toRecord } from './generation-records.ts';

const HOUR_MS = 3_600_000;
const MODELS = ['acme/chat', 'acme/film', 'beta/large', 'beta/small', 'gamma/one', 'gamma/two', 'delta/a', 'delta/b'];
const MORE_MODELS = ['rare/first', 'rare/second'];
const PROVIDERS = ['Acme', 'Beta', 'Gamma'];

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * Fills a data directory with calls of the 48 hours before `endMs`: one to five each half hour, fewer on the first day,
 * of ten models, three providers, three keys and several apps, with prices, failures and speeds that differ.
 */
export async function fillFigures(dir: string, endMs: number): Promise<void> {
  // The last calls are of a few minutes ago, so that there are some of today soon after midnight, too.
  const firstMs = endMs - 48 * HOUR_MS + 25 * 60_000;
  let nowMs = firstMs;
  const open = (): Promise<Store> => createJsonFileStore({ dir, now: () => nowMs });
  let store = await open();
  let id = 0;
  for (let half = 0; half < 96; half += 1) {
    const day = dayOf(nowMs);
    nowMs = firstMs + half * (HOUR_MS / 2);
    // Opened for each day: this clock would be days ahead before a store has opened the files of a new one.
    if (dayOf(nowMs) !== day) {
      await store.close();
      store = await open();
    }
    const count = 1 + (half % 5) + (half >= 48 ? 1 : 0);
    for (let call = 0; call < count; call += 1) {
      const record = toCall((id += 1), nowMs + call * 60_000);
      await store.generations.append(record, null);
    }
  }
  await store.close();
}

function toCall(id: number, createdMs: number): ReturnType<typeof toRecord> {
  const place = (id * 7) % 11;
  const model = MODELS[place % 8] ?? '';
  const latency = 180 + place * 60 + ((id * 37) % 90);
  const cost = (0.002 + place * 0.0007) * (id % 17 === 0 ? 4 : 1);
  const isFailed = id % 13 === 0;
  const generation: Partial<Generation> = {
    created_at: new Date(createdMs).toISOString(),
    model: id % 23 === 0 ? (MORE_MODELS[id % 2] ?? '') : model,
    provider_name: isFailed ? null : (PROVIDERS[place % 3] ?? ''),
    streamed: id % 4 !== 0,
    cancelled: id % 19 === 0,
    finish_reason: isFailed ? 'error' : 'stop',
    origin: id % 3 === 0 ? 'https://app.example/' : '',
    user_agent: id % 2 === 0 ? 'opencode/1.2 (linux)' : 'OpenAI/JS 7.57.0',
    session_id: id % 2 === 0 ? `session-${place}` : null,
    tokens_prompt: 800,
    tokens_completion: isFailed ? 0 : 120 + place * 10,
    native_tokens_cached: isFailed ? null : place * 40,
    cache_discount: isFailed ? null : place * 0.0001,
    provider_responses: Array.from({ length: id % 10 === 0 ? 2 : 1 }, () => ({ status: 200 })),
    total_cost: isFailed ? 0 : cost,
    usage: isFailed ? 0 : cost,
    latency,
    generation_time: latency + 1500 + place * 200,
  };
  return toRecord(`gen-figures-${String(id).padStart(6, '0')}`, {
    principalId: `key-${id % 3}`,
    costNanoUsd: isFailed ? 0 : Math.round(cost * 1e9),
    ...(id % 2 === 0 && { userId: 'ada' }),
    generation,
  });
}
