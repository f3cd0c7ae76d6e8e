import { expect, test } from 'vitest';

import { API_KEY, createCoreGateway } from '../../../../test/support/gateways/core-gateway.ts';
import { createReplayTransport } from '../../../../test/support/upstreams/scripted-transport.ts';

const WHOLE = JSON.stringify({
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
});

test.each([
  ['other calls get their turn between reading a long body and writing it', 1_200_000, 1],
  ['a short body is read and written in one turn of the event loop', 2000, 0],
])('%s', async (_, length, turns) => {
  const upstream = createReplayTransport({ pieces: [WHOLE], headers: { 'content-type': 'application/json' } });
  const core = createCoreGateway(upstream);
  let taken = 0;
  Object.assign(core.platform, {
    nextTurn: async () => {
      expect(upstream.exchanges).toHaveLength(0);
      taken += 1;
    },
  });
  const data = 'QUJD'.repeat(length / 4);
  const messages = [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] },
  ];
  const body = { model: 'acme/chat', messages };
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const response = await core.chat(
    {},
    {
      headers: { authorization: `Bearer ${API_KEY}`, 'content-length': String(bytes.length) },
      readBody: async () => bytes,
    },
  );
  expect(response.status).toBe(200);
  expect(taken).toBe(turns);
  expect(JSON.stringify(upstream.latest().sent['messages']) === JSON.stringify(messages)).toBe(true);
});
