import { readFileSync } from 'node:fs';

import * as kit from '@model-gateway/core/store-kit';
import { expect, test } from 'vitest';

const GUIDE = new URL('../../docs/extending/store.md', import.meta.url);

/** What the store of the guide takes from other files of the core, but for types. */
function listTaken(): string[] {
  const imports = readFileSync(GUIDE, 'utf8').matchAll(/^import \{([^}]*)\} from '\.\.?\//gm);
  return Array.from(imports, ([, names = '']) => names.split(','))
    .flat()
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

test('the kit for stores has all that the store of the guide is made of', () => {
  const taken = listTaken();
  expect(taken).toContain('createTableRepositories');
  expect(Object.keys(kit)).toEqual(expect.arrayContaining(taken));
});
