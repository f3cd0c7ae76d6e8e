import { type Store, toInterruptedRecord, toPreview } from '@model-gateway/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { toContent, toKey, toRecord } from '../support/stores/generation-records.ts';
import { storeImplementations, type StorePlace } from '../support/stores/store-implementations.ts';

const ODD_NAMES = ['__proto__', 'constructor', '../../etc/passwd', 'a"b\\c', ',"generation":{', 'line\nbreak', ''];
const TIMELINE = { interval_ms: 40, gaps_ms: [412, 40, 1800], text: [0, 5, 11], reasoning: [7, 0, 0] };

describe.each(storeImplementations)('A $name store', ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  test('gives back a key that was inserted', async () => {
    const key = toKey('a1', { limitUsd: 2.5, limitReset: 'monthly', expiresAt: '2027-01-01T00:00:00.000Z' });
    await store.keys.insert(key);
    expect(await store.keys.get('a1')).toEqual(key);
    expect(await store.keys.get('unknown')).toBeUndefined();
  });

  test('lists keys oldest first, an updated one at its old place', async () => {
    for (const hash of ['c', 'a', 'b']) await store.keys.insert(toKey(hash));
    await store.keys.update('c', (key) => ({ ...key, name: 'changed' }));
    expect((await store.keys.list()).map(({ hash, name }) => [hash, name])).toEqual([
      ['c', 'changed'],
      ['a', 'Key a'],
      ['b', 'Key b'],
    ]);
  });

  test('refuses a key whose hash exists and keeps the first', async () => {
    await store.keys.insert(toKey('a', { name: 'first' }));
    await expect(store.keys.insert(toKey('a', { name: 'second' }))).rejects.toThrow(/id a exists/);
    expect((await store.keys.get('a'))?.name).toBe('first');
  });

  test('tells when there is no key to update or remove', async () => {
    expect(await store.keys.update('a', (key) => key)).toBeUndefined();
    expect(await store.keys.remove('a')).toBe(false);
    expect(await store.keys.list()).toEqual([]);
  });

  test('forgets a key that was removed', async () => {
    await store.keys.insert(toKey('a'));
    expect(await store.keys.remove('a')).toBe(true);
    expect(await store.keys.get('a')).toBeUndefined();
    expect(await store.keys.remove('a')).toBe(false);
  });

  test('keeps every key of many inserted at once', async () => {
    const hashes = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await Promise.all(hashes.map((hash) => store.keys.insert(toKey(hash))));
    expect((await store.keys.list()).map(({ hash }) => hash).toSorted()).toEqual(hashes.toSorted());
  });

  test('gives back a generation and its content once append has resolved', async () => {
    const record = toRecord('gen-1', { generation: { provider_responses: [{ status: 200, id: 'é🎬\u0000"' }] } });
    await store.generations.append(record, toContent('Grüße 🎬 \u2028 \u0000 "quoted" \\ \n'));
    expect(await store.generations.get('gen-1')).toEqual(record);
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('Grüße 🎬 \u2028 \u0000 "quoted" \\ \n'));
  });

  test('gives back when the text came with the content, and neither once that is deleted', async () => {
    const content = { ...toContent('streamed'), timeline: TIMELINE };
    await store.generations.append(toRecord('gen-1'), content);
    expect(await store.generations.getContent('gen-1')).toEqual(content);
    expect(await store.generations.get('gen-1')).toEqual(toRecord('gen-1'));
    await store.generations.deleteContent('gen-1');
    expect(await store.generations.getContent('gen-1')).toBeUndefined();
  });

  test('knows nothing of an id that was never appended', async () => {
    expect(await store.generations.get('gen-1')).toBeUndefined();
    expect(await store.generations.getContent('gen-1')).toBeUndefined();
    expect(await store.generations.deleteContent('gen-1')).toBe(false);
    expect(await store.generations.update(toRecord('gen-1'))).toBe(false);
  });

  test('shows the beginning of a prompt for as long as its content is stored', async () => {
    const id = 'gen-1';
    const text = 'Tell "me"\nabout \\ 🦩 and so on, '.repeat(20);
    await store.generations.append(toRecord(id), toContent(text));
    await store.generations.append(toRecord('gen-2'), null);
    const preview = await store.generations.getPreview(id);
    expect(preview).toBe(toPreview(toContent(text)));
    expect(preview).toMatch(/^Question: Tell "me" about \\ 🦩 and so on, Tell/);
    expect(await store.generations.getContent(id)).toEqual(toContent(text));
    expect(await store.generations.getPreview('gen-2')).toBeUndefined();
    expect(await store.generations.getPreview('unknown')).toBeUndefined();
    await store.generations.deleteContent(id);
    expect(await store.generations.getPreview(id)).toBeUndefined();
  });

  test('has no content for a generation appended without', async () => {
    await store.generations.append(toRecord('gen-1'), null);
    expect(await store.generations.getContent('gen-1')).toBeUndefined();
    expect(await store.generations.deleteContent('gen-1')).toBe(false);
  });

  test('refuses an id that exists, also one that is just being appended', async () => {
    const first = store.generations.append(toRecord('gen-1', { costNanoUsd: 5 }), toContent('first'));
    await expect(store.generations.append(toRecord('gen-1'), toContent('second'))).rejects.toThrow(/gen-1/);
    await first;
    await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow(/gen-1/);
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('first'));
    expect(await store.generations.spentNanoUsd('key-1')).toBe(5);
  });

  test('gives back the last version of an updated generation, at its place and with its content', async () => {
    for (const id of ['gen-1', 'gen-2']) await store.generations.append(toRecord(id), toContent(id));
    const later = toRecord('gen-1', { generation: { finish_reason: 'error', cancelled: true } });
    expect(await store.generations.update(later)).toBe(true);
    expect(await store.generations.get('gen-1')).toEqual(later);
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('gen-1'));
    const { records } = await store.generations.page({ limit: 10 });
    expect(records.map(({ generation }) => generation.id)).toEqual(['gen-2', 'gen-1']);
  });

  test('cannot give back content that was deleted', async () => {
    await store.generations.append(toRecord('gen-1'), toContent('secret'));
    expect(await store.generations.deleteContent('gen-1')).toBe(true);
    expect(await store.generations.getContent('gen-1')).toBeUndefined();
    expect(await store.generations.deleteContent('gen-1')).toBe(false);
    expect(await store.generations.get('gen-1')).toEqual(toRecord('gen-1'));
  });

  test('pages through all generations newest first', async () => {
    for (let index = 1; index <= 5; index += 1) await store.generations.append(toRecord(`gen-${index}`), null);
    const seen: string[][] = [];
    let before: string | undefined;
    do {
      const page = await store.generations.page({ limit: 2, before });
      seen.push(page.records.map(({ generation }) => generation.id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([['gen-5', 'gen-4'], ['gen-3', 'gen-2'], ['gen-1']]);
  });

  test('does not show a generation twice when others are appended between two pages', async () => {
    for (const id of ['gen-1', 'gen-2', 'gen-3']) await store.generations.append(toRecord(id), null);
    const first = await store.generations.page({ limit: 2 });
    await store.generations.append(toRecord('gen-4'), null);
    const second = await store.generations.page({ limit: 2, before: first.next ?? undefined });
    expect(second.records.map(({ generation }) => generation.id)).toEqual(['gen-1']);
    expect(second.next).toBeNull();
  });

  test('answers an empty page when there is nothing, or nothing older', async () => {
    expect(await store.generations.page({ limit: 5 })).toEqual({ records: [], next: null });
    await store.generations.append(toRecord('gen-1'), null);
    expect(await store.generations.page({ limit: 5, before: 'gen-1' })).toEqual({ records: [], next: null });
    expect(await store.generations.page({ limit: 5, before: 'unknown' })).toEqual({ records: [], next: null });
    expect(await store.generations.page({ limit: 1 })).toEqual({ records: [toRecord('gen-1')], next: null });
  });

  test('sums what each principal has spent, by the last version of each generation', async () => {
    await store.generations.append(toRecord('gen-1', { costNanoUsd: 10 }), null);
    await store.generations.append(toRecord('gen-2', { costNanoUsd: 5 }), null);
    await store.generations.append(toRecord('gen-3', { costNanoUsd: 7, principalId: 'key-2' }), null);
    await store.generations.update(toRecord('gen-1', { costNanoUsd: 100 }));
    expect(await store.generations.spentNanoUsd('key-1')).toBe(105);
    expect(await store.generations.spentNanoUsd('key-2')).toBe(7);
    expect(await store.generations.spentNanoUsd('key-3')).toBe(0);
  });

  test('keeps every generation of many appended at once', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `gen-${index}`);
    await Promise.all(ids.map((id) => store.generations.append(toRecord(id), toContent(id))));
    for (const id of ids) expect(await store.generations.getContent(id)).toEqual(toContent(id));
    expect(await store.generations.spentNanoUsd('key-1')).toBe(500_000);
  });

  test('is not confused by ids and principals that look like something else', async () => {
    for (const name of ODD_NAMES) {
      await store.generations.append(toRecord(name, { principalId: name, costNanoUsd: 3 }), toContent(name));
    }
    for (const name of ODD_NAMES) {
      expect(await store.generations.get(name)).toEqual(toRecord(name, { principalId: name, costNanoUsd: 3 }));
      expect(await store.generations.getContent(name)).toEqual(toContent(name));
      expect(await store.generations.spentNanoUsd(name)).toBe(3);
    }
  });
});

const durable = storeImplementations.filter(({ isDurable }) => isDurable);

describe.each(durable)('A durable $name store', ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;

  beforeEach(async () => {
    place = await createPlace();
    store = await place.open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await place.open();
  };

  test('finds everything again after it was closed and opened', async () => {
    await store.keys.insert(toKey('a'));
    await store.keys.insert(toKey('b'));
    await store.keys.remove('a');
    for (const id of ['gen-1', 'gen-2', 'gen-3']) await store.generations.append(toRecord(id), toContent(id));
    await store.generations.update(toRecord('gen-2', { costNanoUsd: 50 }));
    await store.generations.append(toRecord('gen-4'), { ...toContent('gen-4'), timeline: TIMELINE });
    await store.generations.deleteContent('gen-3');
    await reopen();
    expect(await store.keys.list()).toEqual([toKey('b')]);
    expect((await store.generations.page({ limit: 9 })).records).toEqual([
      toRecord('gen-4'),
      toRecord('gen-3'),
      toRecord('gen-2', { costNanoUsd: 50 }),
      toRecord('gen-1'),
    ]);
    expect(await store.generations.getContent('gen-1')).toEqual(toContent('gen-1'));
    expect(await store.generations.getContent('gen-3')).toBeUndefined();
    expect(await store.generations.getContent('gen-4')).toEqual({ ...toContent('gen-4'), timeline: TIMELINE });
    expect(await store.generations.spentNanoUsd('key-1')).toBe(3_050);
    await expect(store.generations.append(toRecord('gen-1'), null)).rejects.toThrow(/gen-1/);
  });

  test('goes on where it was left, as often as it is opened', async () => {
    for (let round = 0; round < 3; round += 1) {
      await store.generations.append(toRecord(`gen-${round}`), toContent(`round ${round}`));
      await reopen();
    }
    for (let round = 0; round < 3; round += 1) {
      expect(await store.generations.getContent(`gen-${round}`)).toEqual(toContent(`round ${round}`));
    }
  });

  test('records what was noted as under way and never appended, once, as often as it is opened', async () => {
    if (store.generations.noteRunning === undefined) return;
    const costs = { costUsd: 0.000002, costNanoUsd: 2000, costKnown: true };
    const figures = { promptTokens: 1, completionTokens: 2, durationMs: 3000, ...costs };
    const [cut, ended] = ['gen-1', 'gen-2'].map((id) => ({ record: toRecord(id, { costNanoUsd: 0 }), figures }));
    if (cut === undefined || ended === undefined) throw new Error('two calls');
    await store.generations.noteRunning([cut, ended]);
    await store.generations.append(toRecord('gen-2'), null);
    for (let round = 0; round < 3; round += 1) {
      await reopen();
      expect(await store.generations.get('gen-1')).toEqual(toInterruptedRecord(cut));
      expect(await store.generations.get('gen-2')).toEqual(toRecord('gen-2'));
      expect(await store.generations.count()).toBe(2);
    }
    await store.generations.noteRunning([{ ...cut, record: toRecord('gen-3') }]);
    await store.generations.noteRunning([]);
    await reopen();
    expect(await store.generations.get('gen-3')).toBeUndefined();
  });

  test('tells odd ids apart after it was opened again', async () => {
    for (const name of ODD_NAMES) {
      await store.generations.append(toRecord(name, { principalId: name, costNanoUsd: 3 }), toContent(name));
    }
    await reopen();
    for (const name of ODD_NAMES) {
      expect(await store.generations.get(name)).toEqual(toRecord(name, { principalId: name, costNanoUsd: 3 }));
      expect(await store.generations.getContent(name)).toEqual(toContent(name));
      expect(await store.generations.spentNanoUsd(name)).toBe(3);
    }
  });
});
