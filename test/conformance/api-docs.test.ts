import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ROUTES } from '../../packages/core/src/api/routes.ts';

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');

test.each(ROUTES.map(({ method, path }) => `${method} ${path}`))('docs/api.md has a row for %s', (name) => {
  expect(page).toMatch(new RegExp(`\\x60${name.replaceAll(/[{}+]/g, '\\$&')}[?\\x60]`));
});
