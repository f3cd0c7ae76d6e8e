import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { readResponse } from '../../packages/core/src/reruns/read-response.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));

test('the UI finds a text or a call in every response of a chat that comes with the gateway', () => {
  const files = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(chat-completions|messages|generate-content)\/(?!.*(refused|cut-answer))[^/]+\/response.*\.(json|sse)$/.test(path),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => readResponse(readFileSync(FIXTURES + path, 'utf8')) === null)).toEqual([]);
});
