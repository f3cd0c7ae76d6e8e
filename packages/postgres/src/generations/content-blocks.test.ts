import { referencesIn, type StoredContent } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toContent, toRecord, toTurns } from '../../../../test/support/stores/generation-records.ts';
import { packContents } from './content-blocks.ts';
import { type PendingRecord, toPendingRecord } from './pending-records.ts';

const [TURN] = toTurns(9).slice(-1) as [StoredContent];

function toPending(content: StoredContent | null, { day = '2026-03-01', workspace = 'a' } = {}): PendingRecord {
  const generation = { created_at: `${day}T10:00:00.000Z`, workspace_id: workspace };
  return toPendingRecord(toRecord('id', { generation }), content);
}

/** The hashes of the blocks of a batch, in their order. Each text follows its length, after 20 bytes for the whole. */
function hashesIn({ blocks }: ReturnType<typeof packContents>): string[] {
  const column = blocks?.end()[1] ?? Buffer.alloc(0);
  const hashes: string[] = [];
  for (let at = 20; at < column.length; at += 26) hashes.push(column.toString('utf8', at + 4, at + 26));
  return hashes;
}

test('short contents stay whole, and a batch of them has no blocks', () => {
  const short = toContent('short');
  const packed = packContents([toPending(short), toPending(null)]);
  expect(packed).toEqual({ texts: [{ text: JSON.stringify(short), isPacked: false }, null], blocks: undefined });
});

test('a block of several contents of a batch is there once, in the order of the hashes', () => {
  const alone = packContents([toPending(TURN)]);
  const twice = packContents([toPending(TURN), toPending(TURN), toPending(toContent('short'))]);
  expect(twice.texts.map((stored) => stored?.isPacked)).toEqual([true, true, false]);
  const hashes = hashesIn(twice);
  expect(hashes).toEqual(hashesIn(alone));
  expect(hashes).toEqual([...new Set(hashes)].toSorted());
  expect(hashes).toEqual(expect.arrayContaining(referencesIn(twice.texts[1]?.text ?? '')));
});

test('a block of two days is there for each, and that of another workspace has another hash', () => {
  const one = hashesIn(packContents([toPending(TURN)]));
  const days = hashesIn(packContents([toPending(TURN, { day: '2026-03-02' }), toPending(TURN)]));
  expect(days).toEqual([...one, ...one]);
  const others = hashesIn(packContents([toPending(TURN, { workspace: 'b' })]));
  expect(others.filter((hash) => one.includes(hash))).toEqual([]);
});

test('a content that is nested too deeply to be packed is stored whole', () => {
  const record = toPending(toContent('x'.repeat(5000)));
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const text = (record.content?.text ?? '').replace('"error":null', `"error":${deep}`);
  const packed = packContents([{ ...record, content: { text, preview: null } }]);
  expect(packed).toEqual({ texts: [{ text, isPacked: false }], blocks: undefined });
});
