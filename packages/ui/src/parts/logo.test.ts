import { CLIENTS } from '@model-gateway/clients';
import { expect, test } from 'vitest';

import { findLogo, toAuthor } from './logo.tsx';

const toFile = (name: string): string | undefined => findLogo(name)?.replace(/^.*\/([\w-]+)\.svg.*$/, '$1');

test.each([
  ['openai', 'openai'],
  ['google-ai-studio', 'aistudio'],
  ['meta-llama', 'meta'],
  ['claude-code', 'claudecode'],
  ['ACME', undefined],
  ['constructor', undefined],
])('%s has the logo %s', (name, file) => expect(toFile(name)).toBe(file));

test('a provider that was named after a known one has its logo', () => {
  expect([toFile('openai-eu'), toFile('azure-openai-2'), toFile('my-openai')]).toEqual([
    'openai',
    'azureai',
    undefined,
  ]);
});

test('a model has the logo of its author', () => {
  expect(toFile(toAuthor('x-ai/grok-4'))).toBe('xai');
  expect(toAuthor('fast')).toBe('fast');
});

test('most tools have a logo', () => {
  const without = CLIENTS.filter(({ id }) => findLogo(id) === undefined).map(({ id }) => id);
  expect(without.toSorted()).toEqual(['aider', 'continue', 'curl', 'pi', 'zed']);
});
