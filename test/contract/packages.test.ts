import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');

interface Manifest {
  readonly name: string;
  readonly [field: string]: unknown;
}

const folders = globSync('packages/*/package.json', { cwd: root }).map((file) => file.replace('/package.json', ''));

describe.each(folders)('The package in %s', (folder) => {
  const manifest = JSON.parse(read(`${folder}/package.json`)) as Manifest;

  test('names an entry, its types, where it comes from and where to read about it', () => {
    expect(manifest).toMatchObject({
      main: expect.stringMatching(/^\.\/.+\.js$/),
      types: expect.stringMatching(/^\.\/.+\.d\.ts$/),
      license: 'MIT',
      homepage: 'https://model-gateway.invalid/',
      repository: { type: 'git', url: 'git+https://model-gateway.invalid/model-gateway.git', directory: folder },
      publishConfig: { access: 'public', provenance: true },
    });
  });

  test('has the licence, and a page that tells how to install it', () => {
    expect(read(`${folder}/LICENSE`)).toBe(read('LICENSE'));
    expect(read(`${folder}/README.md`)).toContain(manifest.name);
    expect(read(`${folder}/README.md`)).toMatch(/npm install|npx /);
  });

  test('is published without sources and source maps', () => {
    expect(manifest['files']).toContain('!**/*.map');
    expect(JSON.stringify(manifest['files'])).not.toContain('src');
  });
});
