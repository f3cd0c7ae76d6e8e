import { type StoredPrompt, toPromptHead } from '@model-gateway/core';

import { expectEqual, expectRejection } from '../contract-case.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

const AT = '2026-03-01T10:00:00.000Z';

function toPrompt(id: string, more: Partial<StoredPrompt> = {}): StoredPrompt {
  const version = {
    version: 1,
    messages: [{ role: 'system' as const, content: `You are {{who}}.\u0000 "%_\\ ${id}` }],
    model: 'acme/chat',
    parameters: { temperature: 0.2, tools: [] },
    note: null,
    created_at: AT,
    created_by: 'Mo',
  };
  return {
    id,
    name: `Prompt ${id}`,
    description: null,
    current_version: 1,
    created_at: AT,
    updated_at: AT,
    versions: [version],
    ...more,
  };
}

/** What a prompt is after another version was added. */
function withSecond(prompt: StoredPrompt): StoredPrompt {
  const [first] = prompt.versions;
  if (first === undefined) return prompt;
  return { ...prompt, current_version: 2, versions: [first, { ...first, version: 2, note: 'Shorter', model: null }] };
}

export const promptCases: readonly StoreCase[] = [
  storeCase('A store keeps prompts with all their versions, oldest first', async ({ prompts }) => {
    for (const id of ['b', 'a']) await prompts.insert(toPrompt(id));
    await expectRejection(prompts.insert(toPrompt('a', { name: 'second' })));
    expectEqual(await prompts.update('b', withSecond), withSecond(toPrompt('b')));
    expectEqual(await prompts.list(), [withSecond(toPrompt('b')), toPrompt('a')]);
    expectEqual(await prompts.get('b'), withSecond(toPrompt('b')));
    expectEqual(await prompts.update('c', withSecond), undefined);
    expectEqual([await prompts.remove('b'), await prompts.remove('b')], [true, false]);
    expectEqual(await prompts.list(), [toPrompt('a')]);
  }),

  storeCase('A store loses no version of a prompt to which several are added at once', async ({ prompts }) => {
    await prompts.insert(toPrompt('a'));
    const add = (): unknown =>
      prompts.update('a', (prompt) => ({
        ...prompt,
        versions: [...prompt.versions, { ...prompt.versions[0]!, version: prompt.versions.length + 1 }],
      }));
    await Promise.all(Array.from({ length: 10 }, add));
    const versions = (await prompts.get('a'))?.versions.map(({ version }) => version);
    expectEqual(
      versions,
      Array.from({ length: 11 }, (_, at) => at + 1),
    );
  }),

  storeCase('A store takes no prompt for another one', async ({ prompts }) => {
    for (const id of ODD_NAMES) expectEqual(await prompts.get(id), undefined);
    for (const id of ODD_NAMES) await prompts.insert(toPrompt(id));
    for (const id of ODD_NAMES) expectEqual(await prompts.get(id), toPrompt(id));
  }),

  storeCase(
    'A store lists what is to be shown of prompts without their texts',
    async ({ prompts }) => {
      for (const id of ['b', 'a']) await prompts.insert(toPrompt(id));
      await prompts.update('b', withSecond);
      expectEqual(await prompts.listHeads?.(), [toPromptHead(withSecond(toPrompt('b'))), toPromptHead(toPrompt('a'))]);
    },
    'prompts.listHeads',
  ),

  durableStoreCase('A store finds prompts again after it was closed and opened', async (store, reopen) => {
    for (const id of ['b', 'a', 'c']) await store.prompts.insert(toPrompt(id));
    await store.prompts.update('b', withSecond);
    await store.prompts.remove('c');
    store = await reopen();
    expectEqual(await store.prompts.list(), [withSecond(toPrompt('b')), toPrompt('a')]);
  }),
];
