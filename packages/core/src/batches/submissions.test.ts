import { expect, test } from 'vitest';

import { until } from '../../../../test/support/async/until.ts';
import { jsonOf, MANAGEMENT_KEY } from '../../../../test/support/gateways/core-gateway.ts';
import { CHAT, createBatchGateway } from '../../../../test/support/gateways/provider-batch-gateway.ts';
import type { BatchRow } from '../stores/batches.ts';
import type { Batch } from '../wire/batches.ts';

test('lines whose submission the store did not take for a moment are not held twice, and are sent later', async () => {
  const { gateway, upstream, ended, post, platform, store } = createBatchGateway('openai');
  await gateway.start();
  const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` };
  // Room for one hold of the line, of 150 millionths and its prompt, and not for two.
  const { key } = jsonOf(await post('/api/v1/keys', { name: 'poor', limit: 0.0003 }, { headers })) as { key: string };
  const insert = store.batches.insert.bind(store.batches);
  let refusals = 0;
  Object.assign(store.batches, {
    insert(row: BatchRow) {
      if (row.kind !== 'submission' || refusals > 0) return insert(row);
      refusals += 1;
      throw new Error('The store is away');
    },
  });
  const requests = [{ custom_id: 'a', body: { messages: [{ role: 'user', content: 'a' }], max_tokens: 50 } }];
  const body = { endpoint: CHAT, model: 'acme/chat', requests };
  const own = { headers: { authorization: `Bearer ${key}` } };
  const { id } = jsonOf(await post('/api/beta/batches', body, own)) as Batch;
  await until(() => refusals === 1);
  await platform.advance(10_000);
  await until(() => upstream.batches.length === 1);
  upstream.finish();
  expect(await ended(id)).toMatchObject({ status: 'completed', request_counts: { completed: 1, failed: 0 } });
  expect(upstream.calls).toEqual([]);
});
