import { expect, test } from 'vitest';

import { createScriptedTransport } from '../../../../../test/support/upstreams/scripted-transport.ts';
import { createAnthropicProvider } from '../anthropic/anthropic-provider.ts';
import { createFalProvider } from '../fal/fal-videos.ts';
import { createGoogleProvider } from '../google/google-provider.ts';
import { createOpenAiResponsesProvider } from '../openai-responses/openai-responses-provider.ts';
import { createOpenAiProvider } from '../openai/openai-provider.ts';
import { createReplicateProvider } from '../replicate/replicate-videos.ts';
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

const WIRES: readonly [string, (settings: never) => unknown][] = [
  ['openai', createOpenAiProvider],
  ['openai-responses', createOpenAiResponsesProvider],
  ['anthropic', createAnthropicProvider],
  ['google', createGoogleProvider],
  ['fal', createFalProvider],
  ['replicate', createReplicateProvider],
];
const SETTINGS = { slug: 'house', baseUrl: 'https://house.example/v1' };

test.each(WIRES)('a provider of the wire %s without a transport is refused, with what to pass', (_wire, create) => {
  const downloads = createScriptedTransport();
  // As plain JavaScript may call it: without, and with a function in its place.
  for (const wrong of [{}, { transport: undefined }, { transport: fetch }]) {
    expect(() => create({ ...SETTINGS, downloads, ...wrong } as never)).toThrow(
      /^The provider "house" needs a transport in `transport`: pass createUndiciTransport\(\) .* or createFetchTransport/,
    );
  }
});

test.each(WIRES.slice(4))(
  'a provider of the wire %s without a transport for downloads is refused, too',
  (_wire, create) => {
    expect(() => create({ ...SETTINGS, transport: createScriptedTransport() } as never)).toThrow(
      /needs a transport in `downloads`: pass createGuardedTransport/,
    );
  },
);
