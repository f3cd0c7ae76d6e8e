import { expect, test } from 'vitest';

import { PRESETS } from './presets.ts';

test.each(Object.entries(PRESETS))('the preset %s is complete and reaches its provider safely', (slug, preset) => {
  expect(slug).toMatch(/^[a-z][a-z0-9-]*$/);
  const url = new URL(preset.baseUrl);
  // A key must not travel in the clear; only a server on this machine has none.
  expect(url.protocol === 'https:').toBe(preset.apiKeyEnv !== null);
  expect(url.hostname === '127.0.0.1').toBe(preset.apiKeyEnv === null);
  expect(url.pathname).toMatch(/\/v1$/);
  expect(preset.name).not.toBe('');
});
