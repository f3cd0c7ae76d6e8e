import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import { toGenerationText } from '../generations/generation-text.ts';
import type { EntryVersion } from './generation-entry.ts';
import { GenerationRows } from './generation-rows.ts';

function toVersion(id: string, app: string): EntryVersion {
  const { generation, principalId, costNanoUsd } = toRecord(id, { generation: { origin: app } });
  return {
    principalId,
    userId: undefined,
    workspaceId: undefined,
    costNanoUsd,
    day: '2026-03-01',
    isByok: false,
    text: Buffer.from(toGenerationText(generation)),
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * The least memory of buffers that is seen in ten collections. One collection is not enough: V8 releases
 * buffers on another thread, and a buffer that the stack or a finished task still names outlives a collection.
 */
async function leastBufferBytes(): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 10; round += 1) {
    collectGarbage();
    least = Math.min(least, process.memoryUsage().arrayBuffers);
    await nextTurn();
  }
  return least;
}

const originsOf = (rows: GenerationRows): readonly (readonly [string, string])[] =>
  [...rows.oldestFirst()].map((entry) => [entry.id, entry.readRecord().generation.origin]);

test('generations that change again and again take no more room than as many that change once', async () => {
  const rows = new GenerationRows('2026-03-01');
  const ids = Array.from({ length: 50 }, (_, at) => `gen-é-${at}`);
  for (const id of ids) rows.add({ id, segment: '2026-03-01', version: toVersion(id, 'first'), content: null });
  const before = await leastBufferBytes();

  // A tenth is longer than what shares a chunk.
  const appOf = (at: number, round: number): string => `${round} ${'é'.repeat(at % 10 === 0 ? 10_000 : at)}`;
  for (let round = 0; round < 200; round += 1) {
    for (const [at, id] of ids.entries()) rows.find(id)?.replace(toVersion(id, appOf(at, round)));
  }
  expect(originsOf(rows)).toEqual(ids.map((id, at) => [id, appOf(at, 199)]));
  // All versions together take 51 MB.
  expect((await leastBufferBytes()) - before).toBeLessThan(600_000);
});

test('a look through generations goes on when they change meanwhile', () => {
  const rows = new GenerationRows('2026-03-01');
  const ids = Array.from({ length: 20 }, (_, at) => `gen-${at}`);
  for (const id of ids) rows.add({ id, segment: '2026-03-01', version: toVersion(id, 'first'), content: null });
  const seen: string[] = [];
  for (const entry of rows.newestFirst()) {
    seen.push(`${entry.id} ${entry.readRecord().generation.origin}`);
    for (const id of ids) rows.find(id)?.replace(toVersion(id, `after ${entry.id}`));
  }
  const expected = ids.map((id, at) => `${id} ${at === 19 ? 'first' : `after gen-${at + 1}`}`);
  expect(seen).toEqual(expected.toReversed());
});
