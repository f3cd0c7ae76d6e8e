import type { StoredPreset } from '@model-gateway/core';

import { expectEqual, expectRejection } from '../contract-case.ts';
import { durableStoreCase, ODD_NAMES, storeCase, type StoreCase } from './store-case.ts';

const AT = '2026-03-01T10:00:00.000Z';

function toStored(slug: string, workspaceId = 'default', more: Partial<StoredPreset['preset']> = {}): StoredPreset {
  const id = `${workspaceId} ${slug}`;
  const times = { created_at: AT, updated_at: AT };
  const preset = {
    id: `id of ${id}`,
    name: slug,
    slug,
    status: 'active' as const,
    description: null,
    creator_user_id: null,
    designated_version_id: 'v1',
    status_updated_at: null,
    workspace_id: workspaceId,
    ...times,
    ...more,
  };
  const config = { model: 'acme/chat', temperature: 0.2, tools: [{ type: 'service:web_search' }] };
  const first = { id: 'v1', preset_id: preset.id, version: 1, creator_id: 'user', config, ...times };
  return { id, workspaceId, preset, versions: [{ ...first, system_prompt: `Be kind.\u0000 "%_\\ ${slug}` }] };
}

/** What a preset is after another version was added. */
function withSecond(stored: StoredPreset): StoredPreset {
  const [first] = stored.versions;
  if (first === undefined) return stored;
  const second = { ...first, id: 'v2', version: 2, system_prompt: null };
  return { ...stored, preset: { ...stored.preset, designated_version_id: 'v2' }, versions: [first, second] };
}

export const presetCases: readonly StoreCase[] = [
  storeCase('A store keeps presets with all their versions, oldest first', async ({ presets }) => {
    const [b, a] = [toStored('b'), toStored('a')];
    for (const preset of [b, a]) await presets.insert(preset);
    await expectRejection(presets.insert(toStored('a', 'default', { name: 'second' })));
    expectEqual(await presets.update(b.id, withSecond), withSecond(b));
    expectEqual(await presets.list(), [withSecond(b), a]);
    expectEqual(await presets.get(b.id), withSecond(b));
    expectEqual([await presets.remove(b.id), await presets.remove(b.id)], [true, false]);
    expectEqual(await presets.list(), [a]);
  }),

  storeCase('A store begins a preset once, whoever comes first, and loses no version', async ({ presets }) => {
    const initial = { ...toStored('a'), versions: [] };
    const add = (at: number): unknown =>
      presets.update(
        initial.id,
        (stored) => {
          const version = stored.versions.length + 1;
          const [first] = toStored('a').versions;
          return { ...stored, versions: [...stored.versions, { ...first!, id: `v${at}`, version }] };
        },
        initial,
      );
    await Promise.all(Array.from({ length: 10 }, (_, at) => add(at)));
    const versions = (await presets.get(initial.id))?.versions ?? [];
    expectEqual(
      versions.map(({ version }) => version),
      Array.from({ length: 10 }, (_, at) => at + 1),
    );
  }),

  storeCase('A store takes no preset for another one', async ({ presets }) => {
    for (const name of ODD_NAMES) expectEqual(await presets.get(name), undefined);
    for (const name of ODD_NAMES) await presets.insert(toStored(name));
    for (const name of ODD_NAMES) expectEqual(await presets.get(`default ${name}`), toStored(name));
  }),

  storeCase(
    'A store lists the presets of one workspace without their versions',
    async ({ presets }) => {
      for (const slug of ['b', 'a']) await presets.insert(toStored(slug));
      await presets.insert(toStored('a', 'other'));
      await presets.update(toStored('b').id, withSecond);
      expectEqual(await presets.listHeads?.('default'), [withSecond(toStored('b')).preset, toStored('a').preset]);
      expectEqual(await presets.listHeads?.('other'), [toStored('a', 'other').preset]);
      expectEqual(await presets.listHeads?.('none'), []);
    },
    'presets.listHeads',
  ),

  durableStoreCase('A store finds presets again after it was closed and opened', async (store, reopen) => {
    for (const slug of ['b', 'a', 'c']) await store.presets.insert(toStored(slug));
    await store.presets.update(toStored('b').id, withSecond);
    await store.presets.remove(toStored('c').id);
    store = await reopen();
    expectEqual(await store.presets.list(), [withSecond(toStored('b')), toStored('a')]);
  }),
];
