import { expect, test } from 'vitest';

import { toModelId, toModelParams } from './model-params.ts';

test.each(['acme/chat', 'acme/chat:free', 'ollama/hf.co/acme/chat', 'fast'])(
  'reads the id of a model back from the address of its page: %s',
  (id) => expect(toModelId(toModelParams(id))).toBe(id),
);
