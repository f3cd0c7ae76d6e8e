import { expect, test } from 'vitest';

import { combineRules } from './rate-limits.ts';

const configured = [
  { key: '*', model: '*', requestsPerMinute: 100, tokensPerMinute: null },
  { key: 'batch', model: 'acme/chat', requestsPerMinute: 20, tokensPerMinute: null },
];
const storedFor = (key: string, model: string) => ({ key, model, requests_per_minute: 5, tokens_per_minute: 1000 });

test('a stored rate limit stands beside those of the configuration, unless that names the same key and model', () => {
  const fromConfig = configured.map((rule) => ({ ...rule, source: 'config' }));
  expect(combineRules(configured, [storedFor('batch', 'acme/chat')])).toEqual(fromConfig);
  for (const [key, model] of [
    ['batch', '*'],
    ['*', 'acme/chat'],
  ] as const) {
    expect(combineRules(configured, [storedFor(key, model)])).toEqual([
      ...fromConfig,
      { key, model, requestsPerMinute: 5, tokensPerMinute: 1000, source: 'stored' },
    ]);
  }
});
