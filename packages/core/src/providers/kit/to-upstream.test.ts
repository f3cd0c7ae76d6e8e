import { expect, test } from 'vitest';

import { createScriptedTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { toUpstream } from './to-upstream.ts';

test('takes for secrets the key, headers with and without their scheme, and the host of the address', () => {
  const headers = { Authorization: 'Bearer plain-words', 'x-team': 'team-9', 'x-v': '1' };
  const { credentials, secrets } = toUpstream(
    {
      slug: 'up',
      baseUrl: 'https://llm.example:8443/v1/',
      apiKey: 'key-of-up',
      headers,
      transport: createScriptedTransport(),
    },
    { keyHeader: 'api-key' },
  );
  expect(credentials).toEqual(['key-of-up', 'Bearer plain-words', 'plain-words', 'team-9']);
  expect(secrets).toEqual([...credentials, 'llm.example:8443', 'llm.example']);
});
