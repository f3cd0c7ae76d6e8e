import type { Store } from '../../stores/store.ts';
import { expectEqual, expectMatch } from '../assertions.ts';
import { toContent, toRecord } from '../rows/generation-records.ts';
import { durableStoreCase, storeCase, type StoreCase } from './store-case.ts';

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

async function fill(store: Store): Promise<void> {
  for (const [minute, attempts] of [[BUSY, OK], [OK], null, [BUSY]].entries()) {
    const generation = { created_at: at(minute), provider_responses: attempts };
    await store.generations.append(toRecord(`gen-${minute}`, { generation }), toContent('x'));
  }
}

export const scanCases: readonly StoreCase[] = [
  storeCase('A scan of a store shows what began within a span, its end excluded, with all attempts', async (store) => {
    await fill(store);
    const seen = await scan(store, 0, 3);
    expectEqual(
      seen.map(({ id }) => id),
      ['gen-0', 'gen-1', 'gen-2'],
    );
    expectMatch(
      seen.map(({ attempts }) => attempts),
      [
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
        [{ endpointId: 'acme:chat-1', status: 200, latencyMs: 80 }],
        [],
      ],
    );
    expectEqual(await scan(store, 4, 9), []);
  }),

  durableStoreCase(
    'A scan of a store shows the same after a restart, and what changed since',
    async (store, reopen) => {
      await fill(store);
      const before = await scan(store, 0, 9);
      store = await reopen();
      expectEqual(await scan(store, 0, 9), before);
      const changed = toRecord('gen-1', { generation: { created_at: at(1), provider_responses: [BUSY] } });
      await store.generations.update(changed);
      expectMatch(await scan(store, 1, 2), [{ id: 'gen-1', attempts: [{ status: 503 }] }]);
    },
  ),
];
