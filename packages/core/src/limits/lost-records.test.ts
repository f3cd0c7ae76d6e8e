import { expect, test } from 'vitest';

import {
  createCoreGateway,
  jsonOf,
  MANAGEMENT_KEY,
  readFrames,
} from '../../../../test/support/gateways/core-gateway.ts';
import { toEventPieces } from '../../../../test/support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const PIECES = toEventPieces([
  { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 } },
]);
const authorization = `Bearer ${MANAGEMENT_KEY}`;

test.each([null, 0.0075])(
  'what a call of a key with the limit %j has cost counts in its budgets though the disk was full at its end',
  async (limit) => {
    const { chat, post, store } = createCoreGateway(createReplayTransport({ pieces: PIECES }));
    const { data, key } = jsonOf(await post('/api/v1/keys', { name: 'k', limit }, { headers: { authorization } })) as {
      data: { hash: string };
      key: string;
    };
    const ask = () => chat({ stream: true, max_tokens: 1000 }, { headers: { authorization: `Bearer ${key}` } });
    store.failAppends(new Error('disk full'));
    expect(await readFrames(await ask()).rest()).toContain('"error"');
    const change = { method: 'PATCH', headers: { authorization } };
    await post(`/api/v1/keys/${data.hash}`, { limit: 0.0075 }, change);
    const refused = await ask();
    expect(refused.status).toBe(402);
    expect(jsonOf(refused)).toMatchObject({ error: { metadata: { reserved_usd: 0.003 } } });
  },
);
