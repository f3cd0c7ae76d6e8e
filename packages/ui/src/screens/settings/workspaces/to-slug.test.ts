import { expect, test } from 'vitest';

import { toSlug } from './new-workspace.tsx';

test('a name makes a slug that the gateway takes', () => {
  expect(['Film team', '  R&D — Zürich  ', 'v2', '日本'].map(toSlug)).toEqual(['film-team', 'r-d-zu-rich', 'v2', '']);
  expect(toSlug('x'.repeat(49) + ' y')).toBe('x'.repeat(49));
});
