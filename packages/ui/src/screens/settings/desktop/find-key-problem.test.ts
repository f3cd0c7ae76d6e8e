import { expect, test } from 'vitest';

import { findKeyProblem } from './provider-keys-card.tsx';

test.each([
  ['OLLAMA_HOST', '127.0.0.1:11434'],
  ['OLLAMA_HOST', 'anything'],
  ['OPENAI_BASE_URL', 'https://example.com/v1'],
  ['OPENAI_API_KEY', 'http://127.0.0.1:1234/v1'],
  ['LM_STUDIO', 'localhost:1234'],
])('does not take the address %s=%s for a key, and says where it belongs', (name, key) => {
  expect(findKeyProblem(name, key)).toContain('under Providers');
});

test.each([
  ['OPENAI_API_KEY', 'sk-proj-abc:def_123'],
  ['FAL_KEY', '0f9a8b7c-1234-4f6e-9a1b-000000000000:a1b2c3d4e5f6'],
  ['REPLICATE_API_TOKEN', 'r8_abc'],
])('takes the key %s', (name, key) => {
  expect(findKeyProblem(name, key)).toBeUndefined();
});
