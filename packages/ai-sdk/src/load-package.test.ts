import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { findPackageProblem, loadPackage } from './load-package.ts';

/** A folder in which packages are installed, by the contents of their files. */
function install(files: Readonly<Record<string, string | object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'packages-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const manifest = (more: object = {}): object => ({
  name: 'acme-ai',
  type: 'module',
  exports: './index.js',
  dependencies: { '@ai-sdk/provider': '4.0.0' },
  ...more,
});
const code = (...names: readonly string[]): string =>
  names.map((name) => `export const ${name} = (options) => ({ options, madeBy: '${name}' });`).join('\n');

describe('a package', () => {
  test('is found in the folder and in those above it, and is made with its options and a fetch', async () => {
    const folder = install({ 'acme-ai/package.json': manifest(), 'acme-ai/index.js': code('createAcmeAi', 'other') });
    const deeper = join(folder, 'config');
    const made = await loadPackage({ package: 'acme-ai', folder: deeper, options: { apiKey: 'k' } }, fetch);
    expect(made).toEqual({ madeBy: 'createAcmeAi', options: { apiKey: 'k', fetch } });
    expect(findPackageProblem({ package: 'acme-ai', folder: deeper })).toBeUndefined();
  });

  test('that is for import alone is loaded all the same, and so is a part of one', async () => {
    const exports = { '.': { import: './index.js' }, './edge': { import: { default: './edge.js' } } };
    const folder = install({
      '@acme/ai/package.json': manifest({ exports }),
      '@acme/ai/index.js': code('createAcme'),
      '@acme/ai/edge.js': code('createAcmeEdge'),
    });
    expect(await loadPackage({ package: '@acme/ai', folder }, undefined)).toMatchObject({ madeBy: 'createAcme' });
    expect(await loadPackage({ package: '@acme/ai/edge', folder }, undefined)).toMatchObject({
      madeBy: 'createAcmeEdge',
    });
    await expect(loadPackage({ package: '@acme/ai/none', folder }, undefined)).rejects.toThrow('has no part none');
  });

  test('that is missing is named with the folder and the command', () => {
    const folder = install({});
    expect(findPackageProblem({ package: '@ai-sdk/none/edge', folder })).toBe(
      `@ai-sdk/none is not installed. Run this in ${folder}: npm install @ai-sdk/none`,
    );
  });

  test('of another kind runs none of its code', async () => {
    const folder = install({
      'left-pad/package.json': { name: 'left-pad', main: 'index.js' },
      'left-pad/index.js': 'globalThis.ran = true;',
    });
    await expect(loadPackage({ package: 'left-pad', folder }, undefined)).rejects.toThrow('no package of the AI SDK');
    expect(globalThis).not.toHaveProperty('ran');
  });

  test.for([
    '../secret',
    '/etc/passwd',
    'file:///a.js',
    'https://evil.example/a.js',
    './a',
    '@/a',
    'a/../b',
    'node:fs',
    '',
  ])('has a name of npm, which %s is not', (name) => {
    expect(findPackageProblem({ package: name, folder: install({}) })).toContain('is not the name of a package');
  });

  test('whose function is not clear says which there are, and takes the one that is named', async () => {
    const folder = install({ 'acme-ai/package.json': manifest(), 'acme-ai/index.js': code('createOne', 'createTwo') });
    await expect(loadPackage({ package: 'acme-ai', folder }, undefined)).rejects.toThrow('(createOne, createTwo)');
    const named = { package: 'acme-ai', folder, factory: 'createTwo' };
    expect(await loadPackage(named, undefined)).toMatchObject({ madeBy: 'createTwo' });
    await expect(loadPackage({ ...named, factory: 'createNo' }, undefined)).rejects.toThrow('has no function createNo');
  });

  test('that fails to load says why', async () => {
    const folder = install({ 'acme-ai/package.json': manifest(), 'acme-ai/index.js': 'throw new Error("too old");' });
    await expect(loadPackage({ package: 'acme-ai', folder }, undefined)).rejects.toThrow('cannot be loaded: too old');
  });
});

test.for([
  ['@ai-sdk/cohere', 'cohere'],
  ['@ai-sdk/amazon-bedrock', 'amazon-bedrock'],
  ['@ai-sdk/google-vertex', 'google.vertex'],
  ['@ai-sdk/google-vertex/anthropic', 'googleVertex.anthropic'],
  ['@openrouter/ai-sdk-provider', 'openrouter'],
])('%s makes its provider by the function that is named like it', async ([name, provider]) => {
  const options = { apiKey: 'key', project: 'p', location: 'us' };
  const made = await loadPackage({ package: name ?? '', folder: import.meta.dirname, options }, fetch);
  expect(made.languageModel?.('m')).toMatchObject({ provider: expect.stringContaining(provider ?? '') as string });
});
