import type { Generation } from '@model-gateway/core';
import { createJsonFileStore } from '@model-gateway/node';

import { toRecord } from './generation-records.ts';

const HOUR_MS = 3_600_000;
const DAYS = 7;

type Attempt = NonNullable<Generation['provider_responses']>[number];

const NAMES = { acme: 'Acme', beta: 'Beta', gamma: 'Gamma' } as const;
type Slug = keyof typeof NAMES;

const attemptAt = (slug: Slug, latency: number): Attempt => ({
  endpoint_id: `${slug}:chat`,
  is_byok: false,
  latency,
  model_permaslug: `${slug}/chat`,
  provider_name: NAMES[slug],
  status: 200,
});

const BUSY = { code: 503, error_type: 'provider_overloaded', message: 'Beta is overloaded' };
const LIMITED = { code: 429, error_type: 'rate_limit_exceeded', message: 'Beta is limiting the rate of requests' };
const GONE = { code: 502, error_type: 'provider_unavailable', message: 'Gamma: the connection was refused' };

/**
 * Fills a data directory with calls of the seven days before `endMs`: to Acme, which never fails; to Beta, which fails
 * now and then and hands over to Acme; and to Gamma, which does not respond any more since two hours before.
 */
export async function fillProviderHistory(dir: string, endMs: number): Promise<void> {
  let nowMs = 0;
  let id = 0;
  for (let day = DAYS; day > 0; day -= 1) {
    const firstMs = endMs - day * 24 * HOUR_MS;
    nowMs = firstMs;
    // Opened for each day: this clock would be days ahead before a store has opened the files of a new one.
    const store = await createJsonFileStore({ dir, now: () => nowMs, trustsClock: true });
    for (let hour = 0; hour < 24; hour += 1) {
      const hourMs = firstMs + hour * HOUR_MS;
      nowMs = hourMs;
      const isNow = day === 1 && hour >= 22;
      // Nights are quiet.
      const calls = hour < 5 ? 0 : 2 + ((hour * 7 + day) % 5);
      for (let call = 0; call < calls; call += 1) {
        id += 1;
        for (const attempts of toCalls(id, isNow)) {
          const createdAt = new Date(hourMs + call * 60_000 + attempts.length).toISOString();
          await store.generations.append(
            toCall(`gen-past-${id}-${attempts[0]?.provider_name}`, createdAt, attempts),
            null,
          );
        }
      }
    }
    await store.close();
  }
}

function toCalls(id: number, isNow: boolean): readonly (readonly Attempt[])[] {
  const latency = 180 + ((id * 37) % 400);
  const acme = attemptAt('acme', latency);
  const beta = attemptAt('beta', latency + 90);
  const gamma = attemptAt('gamma', latency * 2);
  const busy: Attempt = { ...beta, status: 503, error: BUSY };
  const limited: Attempt = { ...beta, status: 429, error: LIMITED };
  const gone: Attempt = { ...gamma, status: null, error: GONE };
  return [[acme], id % 5 === 0 ? [busy, acme] : id % 7 === 0 ? [limited, acme] : [beta], [isNow ? gone : gamma]];
}

function toCall(id: string, createdAt: string, attempts: readonly Attempt[]): ReturnType<typeof toRecord> {
  const last = attempts.at(-1);
  const isFailed = last?.error !== undefined;
  const latency = attempts.reduce((sum, attempt) => sum + (attempt.latency ?? 0), 0);
  return toRecord(id, {
    costNanoUsd: isFailed ? 0 : 3_200_000,
    generation: {
      created_at: createdAt,
      model: last?.model_permaslug ?? '',
      provider_name: isFailed ? null : (last?.provider_name ?? null),
      finish_reason: isFailed ? 'error' : 'stop',
      tokens_prompt: 700,
      tokens_completion: isFailed ? 0 : 140,
      total_cost: isFailed ? 0 : 0.0032,
      usage: isFailed ? 0 : 0.0032,
      latency,
      generation_time: latency + 1800,
      provider_responses: [...attempts],
    },
  });
}
