import { expect, test } from 'vitest';

import { createRegionOf } from './regions.ts';

const regionOf = createRegionOf([
  { name: 'eu', hosts: ['eu.gateway.example', 'europe.example'] },
  { name: 'us', hosts: ['US.gateway.example', '[2001:db8::1]'] },
]);

test.each<[string, string, Record<string, string>, string | null]>([
  ['an ordinary host', 'https://gateway.example', { host: 'gateway.example' }, null],
  ['a regional host', 'https://eu.gateway.example', {}, 'eu'],
  ['its second name, a port and a mount', 'http://europe.example:8855/ai', {}, 'eu'],
  ['any case', 'https://EU.Gateway.Example', {}, 'eu'],
  ['an address', 'http://[2001:db8::1]:80', {}, 'us'],
  [
    'the Host header where a public address hides it',
    'https://gateway.example',
    { host: 'us.gateway.example:443' },
    'us',
  ],
  [
    'a host that a proxy hands on',
    'http://127.0.0.1:8855',
    { 'x-forwarded-host': 'x.example, eu.gateway.example' },
    'eu',
  ],
  ['a host that only looks regional', 'https://eu.gateway.example.attacker.example', {}, null],
  ['a path that looks regional', 'https://gateway.example/eu.gateway.example', {}, null],
])('takes %s for its region', (_name, baseUrl, headers, expected) => {
  expect(regionOf({ baseUrl, headers })?.name ?? null).toBe(expected);
});

test('knows no region where none is configured', () => {
  expect(createRegionOf([])({ baseUrl: 'https://eu.gateway.example', headers: {} })).toBeNull();
});
