import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Transport } from '@model-gateway/core';
import { expect, onTestFinished, test } from 'vitest';

import { createModuleProvider, toProviderModuleContext } from './load-modules.ts';

const transport: Transport = {
  send: () => Promise.reject(new Error('Nothing is sent')),
};

/** What is said when a module with these members is loaded. */
async function loadWith(members: string): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'load-modules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'house.mjs');
  const facts = "slug: 'house', name: 'House', dataPolicy: { training: null, retainsPrompts: null }";
  writeFileSync(
    file,
    `class Base { moderations() {} }\nexport const createProvider = () => ({ ${facts}, ${members} });`,
  );
  const warnings: unknown[] = [];
  const say = (): void => undefined;
  const logger = {
    debug: say,
    info: say,
    warn: (message: string, fields?: object) => void warnings.push([message, fields]),
    error: say,
  };
  const context = toProviderModuleContext('house', { logger, transport, downloads: transport });
  await createModuleProvider({ slug: 'house', module: file, options: {}, place: 'providers[0].module' }, context);
  return warnings;
}

const said = (name: string, meant: string) => [
  'a provider has a function that is never called',
  { place: 'providers[0].module', function: name, meant },
];

test('a function of a provider that is nearly one which the gateway calls is a warning', async () => {
  expect(await loadWith('chat() {}, images() {}, listModel() {}')).toEqual([
    said('images', 'image'),
    said('listModel', 'listModels'),
  ]);
  expect(await loadWith('chat() {}, __proto__: new Base()')).toEqual([said('moderations', 'moderation')]);
});

test('functions of its own are none, nor are those beside the one that is called', async () => {
  expect(await loadWith('chat() {}, image() {}, images() {}, toPrompt() {}, images_: 5')).toEqual([]);
});

test('looking for such functions runs no getter', async () => {
  const throwing = (name: string): string => `get ${name}() { throw new Error('${name} has run'); }`;
  const members = `chat() {}, listModel() {}, images() {}, ${throwing('client')}, ${throwing('listModels')}`;
  expect(await loadWith(members)).toEqual([said('images', 'image')]);
});
