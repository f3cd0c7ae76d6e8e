import type { Store } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toContent, toRecord } from '../../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../../support/stores/store-implementations.ts';

const BUSY = {
  endpoint_id: 'beta:chat-1',
  latency: 30,
  model_permaslug: 'acme/chat-1',
  provider_name: 'Beta',
  status: 503,
  error: { code: 503, error_type: 'provider_overloaded', message: 'try again' },
};
const OK = {
  endpoint_id: 'acme:chat-1',
  latency: 80,
  model_permaslug: 'acme/chat-1',
  provider_name: 'Acme',
  status: 200,
};

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString();

async function scan(store: Store, from: number, to: number) {
  const seen: { createdAtMs: number; id: string; attempts: unknown }[] = [];
  await store.generations.scan({ fromMs: Date.parse(at(from)), toMs: Date.parse(at(to)) }, (generation) => {
    const { createdAtMs } = generation.readFacts();
    seen.push({ createdAtMs, id: generation.readRecord().generation.id, attempts: generation.readAttempts() });
  });
  return seen.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
}

describe.each(storeImplementations)('A scan of a $name store', ({ createPlace, isDurable }) => {
  let place: StorePlace;
  let store: Store;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
    for (const [minute, attempts] of [[BUSY, OK], [OK], null, [BUSY]].entries()) {
      const generation = { created_at: at(minute), provider_responses: attempts };
      await store.generations.append(toRecord(`gen-${minute}`, { generation }), toContent('x'));
    }
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  test('shows what began within a span, its end excluded, with all attempts', async () => {
    const seen = await scan(store, 0, 3);
    expect(seen.map(({ id }) => id)).toEqual(['gen-0', 'gen-1', 'gen-2']);
    expect(seen.map(({ attempts }) => attempts)).toEqual([
      [
        {
          providerName: 'Beta',
          endpointId: 'beta:chat-1',
          model: 'acme/chat-1',
          status: 503,
          latencyMs: 30,
          errorCode: 503,
          errorType: 'provider_overloaded',
        },
        {
          providerName: 'Acme',
          endpointId: 'acme:chat-1',
          model: 'acme/chat-1',
          status: 200,
          latencyMs: 80,
          errorCode: null,
          errorType: null,
        },
      ],
      [expect.objectContaining({ endpointId: 'acme:chat-1', status: 200, latencyMs: 80 })],
      [],
    ]);
    expect(await scan(store, 4, 9)).toEqual([]);
  });

  test.skipIf(!isDurable)('shows the same after a restart, and what changed since', async () => {
    const before = await scan(store, 0, 9);
    await store.close();
    store = await place.open();
    expect(await scan(store, 0, 9)).toEqual(before);
    const changed = toRecord('gen-1', { generation: { created_at: at(1), provider_responses: [BUSY] } });
    await store.generations.update(changed);
    expect(await scan(store, 1, 2)).toMatchObject([{ id: 'gen-1', attempts: [{ status: 503 }] }]);
  });
});
