import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { type GenerationRecord, toAttemptFacts, toGenerationFacts } from '@model-gateway/core';
import { expect, test } from 'vitest';

import { toRecord } from '../../../../../test/support/stores/generation-records.ts';
import type { EntryVersion } from './generation-entry.ts';
import { createGenerationIndex, type GenerationIndex } from './generation-index.ts';
import { toGenerationText } from './generation-lines.ts';

const toVersion = (id: string, app: string): EntryVersion => versionOf(toRecord(id, { generation: { origin: app } }));

function versionOf({ generation, principalId, userId, costNanoUsd }: GenerationRecord): EntryVersion {
  return {
    principalId,
    userId,
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

const originsOf = (index: GenerationIndex): readonly (readonly [string, string])[] =>
  [...index.entries()].map((entry) => [entry.id, entry.readRecord().generation.origin]);

function replace(index: GenerationIndex, id: string, app: string): void {
  const entry = index.find(id);
  if (entry !== undefined) index.replace(entry, toVersion(id, app));
}

test('generations that change again and again take no more room than as many that change once', async () => {
  const index = createGenerationIndex();
  const ids = Array.from({ length: 50 }, (_, at) => `gen-é-${at}`);
  for (const id of ids) index.add({ id, segment: '2026-03-01', version: toVersion(id, 'first'), content: null });
  const before = await leastBufferBytes();

  // A tenth is longer than what shares a chunk.
  const appOf = (at: number, round: number): string => `${round} ${'é'.repeat(at % 10 === 0 ? 10_000 : at)}`;
  for (let round = 0; round < 200; round += 1) {
    for (const [at, id] of ids.entries()) replace(index, id, appOf(at, round));
  }
  expect(originsOf(index)).toEqual(ids.map((id, at) => [id, appOf(at, 199)]));
  // All versions together take 51 MB.
  expect((await leastBufferBytes()) - before).toBeLessThan(600_000);
});

test('records that were made in this process take a tenth of their length, and none of the heap', async () => {
  const index = createGenerationIndex();
  const before = await leastBufferBytes();
  let bytes = 0;
  for (let at = 0; at < 5000; at += 1) {
    const text = toGenerationText(toRecord(`gen-${at}`, { generation: { origin: `app ${at}` } }).generation);
    bytes += text.length;
    index.add({ id: `gen-${at}`, segment: '2026-03-01', version: { ...toVersion('', ''), text }, content: null });
  }
  // One slab of 64 KiB is open.
  expect((await leastBufferBytes()) - before).toBeLessThan(bytes / 10 + 80_000);
  expect(originsOf(index).slice(4997)).toEqual([4997, 4998, 4999].map((at) => [`gen-${at}`, `app ${at}`]));
});

test('a look through generations goes on when they change meanwhile', () => {
  const index = createGenerationIndex();
  const ids = Array.from({ length: 20 }, (_, at) => `gen-${at}`);
  for (const id of ids) index.add({ id, segment: '2026-03-01', version: toVersion(id, 'first'), content: null });
  const seen: string[] = [];
  for (const entry of index.newestFirst()) {
    seen.push(`${entry.id} ${entry.readRecord().generation.origin}`);
    for (const id of ids) replace(index, id, `after ${entry.id}`);
  }
  const expected = ids.map((id, at) => `${id} ${at === 19 ? 'first' : `after gen-${at + 1}`}`);
  expect(seen).toEqual(expected.toReversed());
});

const OK = { endpoint_id: 'acme:chat-1', model_permaslug: 'acme/chat-1', provider_name: 'Acme', status: 200 };
const FAILED = { ...OK, endpoint_id: 'beta:chat-1', provider_name: 'Beta', status: null, latency: 30 };
const ERROR = { code: 408, error_type: 'timeout', message: 'too long' };

const CASES: readonly GenerationRecord[] = [
  { generation: { provider_responses: [{ ...OK, latency: 412 }], latency: 412, generation_time: 900 } },
  { generation: { provider_responses: [{ ...FAILED, error: ERROR }, OK], session_id: 'one', origin: 'https://a.b/' } },
  { generation: { provider_responses: null, provider_name: null, finish_reason: 'error', cost_known: false } },
  {
    generation: {
      provider_responses: [{ ...OK, error: ERROR }],
      interrupted: true,
      user_agent: 'tool/1',
      external_user: 'bob',
    },
  },
  { userId: 'ada', generation: { provider_responses: [], tokens_prompt: 0, tokens_completion: 9, latency: 0 } },
].map((changes, at) => toRecord(`gen-${at}`, changes));

test('facts are those of the record, and those of its last version once it was replaced', () => {
  const index = createGenerationIndex();
  const factsOf = (id: string): unknown[] => [index.find(id)?.readFacts(), index.find(id)?.readAttempts()];
  for (const record of CASES) {
    const { id } = record.generation;
    index.add({ id, segment: '2026-03-01', version: versionOf(record), content: null });
    expect(index.find(id)?.hasFacts).toBe(false);
    expect(factsOf(id)).toEqual([toGenerationFacts(record), toAttemptFacts(record.generation)]);
  }
  for (const [at, record] of CASES.toReversed().entries()) {
    const entry = index.find(`gen-${at}`);
    if (entry !== undefined) index.replace(entry, versionOf(record));
    expect(entry?.hasFacts).toBe(false);
    expect(factsOf(`gen-${at}`)).toEqual([toGenerationFacts(record), toAttemptFacts(record.generation)]);
  }
});

test.each<[string, Partial<GenerationRecord['generation']>, string]>([
  ['a plain one', { session_id: 'one' }, 'one'],
  ['one beyond ASCII', { session_id: 'séance 7' }, 'séance 7'],
  ['one that JSON escapes', { session_id: 'a "b"\\' }, 'a "b"\\'],
  ['one beside labels that name another', { session_id: 'one', trace: { session_id: 'two' } }, 'one'],
  ['one of the same name in a text', { session_id: 'one', user_agent: '"session_id":"two"' }, 'one'],
  ['none', {}, ''],
])('the session is told without the facts: %s', (_, generation, session) => {
  const index = createGenerationIndex();
  index.add({
    id: 'gen-1',
    segment: '2026-03-01',
    version: versionOf(toRecord('gen-1', { generation })),
    content: null,
  });
  const entry = index.find('gen-1');
  expect(entry?.mayBeOf(session)).toBe(true);
  if (!('trace' in generation) && !session.includes('"')) expect(entry?.mayBeOf('another')).toBe(false);
  expect(entry?.hasFacts).toBe(false);
  entry?.readFacts();
  expect([entry?.mayBeOf(session), entry?.mayBeOf('another')]).toEqual([true, false]);
  if (entry !== undefined) index.replace(entry, versionOf(toRecord('gen-1', { generation: { session_id: 'later' } })));
  expect([entry?.mayBeOf('later'), entry?.mayBeOf('one')]).toEqual([true, false]);
});

test('every id leads to its generation, and no other id to any', () => {
  const ids = Array.from({ length: 20_000 }, (_, at) => `gen-1780000000-${(at * 7919) % 20_000}é`);
  const index = createGenerationIndex();
  const version = toVersion('gen', 'app');
  for (const id of ids) {
    expect(index.find(id)).toBeUndefined();
    index.add({ id, segment: '2026-03-01', version, content: null });
  }
  expect(ids.map((id) => index.find(id)?.id)).toEqual(ids);
  for (const id of ['', 'gen-1780000000-20000é', 'gen-1780000000-7']) expect(index.find(id)).toBeUndefined();
});

test('when a generation began is read without its facts, also where texts of it speak of another time', () => {
  const index = createGenerationIndex();
  for (const record of [
    ...CASES,
    toRecord('gen-quoted', {
      generation: { request_id: '"created_at":"2001-01-01T00:00:00.000Z"', origin: '{"created_at":"2002-02-02"}' },
    }),
  ]) {
    const { id, created_at: createdAt } = record.generation;
    index.add({ id, segment: '2026-03-01', version: versionOf(record), content: null });
    expect(index.find(id)?.createdAtMs()).toBe(Date.parse(createdAt));
    expect(index.find(id)?.hasFacts).toBe(false);
  }
});
