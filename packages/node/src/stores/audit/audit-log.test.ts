import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type AuditEntry, type AuditVerification, type Store, toCanonicalJson, verifyChain } from '@model-gateway/core';
import { afterEach, expect, test } from 'vitest';

import { createJsonFileStore, type JsonFileStoreOptions } from '../json-file-store.ts';
import { toLine } from '../log/record-line.ts';
import { readAuditLog } from './audit-log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-03-01T10:00:00.000Z');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const dirs: string[] = [];
const stores: Store[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

const makeDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-audit-'));
  dirs.push(dir);
  return dir;
};

async function open(dir: string, options: Partial<JsonFileStoreOptions> = {}) {
  const store = await createJsonFileStore({ dir, trustsClock: true, ...options });
  stores.push(store);
  if (store.audit === undefined) throw new Error('There is no audit log');
  return { audit: store.audit, close: () => store.close() };
}

function toEntry(id: string): AuditEntry {
  return {
    id,
    at: new Date(START).toISOString(),
    action: 'key.update',
    actor: { kind: 'key', id: 'abc', name: 'admin', member: null, key: 'abc' },
    from: { address: '203.0.113.7', user_agent: null },
    target: { kind: 'key', id, name: id, workspace: null },
    before: { limitUsd: Math.random() },
    after: { limitUsd: Math.random() },
    outcome: 'done',
    reason: null,
    count: 1,
  };
}

const filesOf = (dir: string): string[] =>
  readdirSync(join(dir, 'logs'))
    .filter((name) => name.startsWith('audit-'))
    .toSorted();

const verify = (dir: string): Promise<AuditVerification> => verifyChain(readAuditLog(dir), sha256);

interface Filling {
  readonly days?: number;
  readonly perDay?: number;
  readonly more?: Partial<JsonFileStoreOptions>;
}

/** Appends so many records a day. */
async function fill(dir: string, { days = 1, perDay = 10, more }: Filling = {}) {
  const clock = { now: START };
  const { audit, close } = await open(dir, { now: () => clock.now, ...more });
  for (let day = 0; day < days; day += 1) {
    clock.now = START + day * DAY_MS;
    // Some at a time, as each append is synced.
    for (let at = 0; at < perDay; at += 25) {
      const ids = Array.from({ length: Math.min(25, perDay - at) }, (_, each) => `aud-${day}-${at + each}`);
      await audit.append(ids.map(toEntry));
    }
  }
  await close();
}

/** Changes the lines of a file. */
function edit(dir: string, file: string, change: (lines: string[]) => string[]): void {
  const path = join(dir, 'logs', file);
  const lines = change(readFileSync(path, 'utf8').trimEnd().split('\n'));
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
}

const textOf = (line: string): string => /"record":(.*)\}$/.exec(line)?.[1] ?? '';

test('of 1,000 records the one that was edited on disk is named, by its id, its file and its line', async () => {
  const dir = makeDir();
  await fill(dir, { days: 4, perDay: 250 });
  expect(filesOf(dir)).toHaveLength(4);
  expect(await verify(dir)).toMatchObject({ count: 1000, problem: null });
  const file = 'audit-2026-03-03.ndjson';
  // With a checksum that fits, as by somebody who knows the form.
  edit(dir, file, (lines) =>
    lines.map((line, at) =>
      at === 41 ? toLine(textOf(line).replace('203.0.113.7', '203.0.113.8')).toString().trimEnd() : line,
    ),
  );
  expect(await verify(dir)).toMatchObject({
    count: 541,
    problem: { kind: 'changed', sequence: 542, id: 'aud-2-41', place: `logs/${file}, line 42` },
  });
});

test.each([
  [
    'a field is added',
    'changed',
    (line: string) => toLine(textOf(line).replace('{', '{"note":"x",')).toString().trimEnd(),
  ],
  ['a byte is changed', 'changed', (line: string) => line.replace('203.0.113.7', '203.0.113.8')],
  ['it is no JSON any more', 'unreadable', () => 'gone'],
  [
    'it is changed with its own hash',
    'broken',
    (line: string) => {
      const { hash: _, ...record } = JSON.parse(textOf(line)) as Record<string, unknown>;
      const changed = { ...record, count: 2 };
      const hash = sha256(toCanonicalJson(changed));
      return toLine(JSON.stringify({ ...changed, hash }))
        .toString()
        .trimEnd();
    },
  ],
])('a record is found in which %s', async (_, kind, change) => {
  const dir = makeDir();
  await fill(dir);
  edit(dir, 'audit-2026-03-01.ndjson', (lines) => lines.map((line, at) => (at === 4 ? change(line) : line)));
  // With a hash that fits, only the next one does not follow it.
  const at = kind === 'broken' ? 6 : 5;
  expect((await verify(dir)).problem).toMatchObject({ kind, place: `logs/audit-2026-03-01.ndjson, line ${at}` });
});

test('records that are gone are noticed, from the middle and from the beginning', async () => {
  const dir = makeDir();
  await fill(dir, { days: 3 });
  rmSync(join(dir, 'logs', 'audit-2026-03-02.ndjson'));
  expect((await verify(dir)).problem).toMatchObject({ kind: 'missing', sequence: 21 });
  rmSync(join(dir, 'logs', 'audit-2026-03-01.ndjson'));
  expect((await verify(dir)).problem).toMatchObject({ kind: 'beginning', sequence: 21 });
});

test('after old days are dropped, the record of that stands for them, and the rest can be checked', async () => {
  const dir = makeDir();
  await fill(dir, { days: 5, more: { auditRetentionDays: 2 } });
  const { count, first, problem } = await verify(dir);
  expect(problem).toBe(null);
  expect(filesOf(dir)[0]).toBe('audit-2026-03-03.ndjson');
  expect(first?.sequence).toBeGreaterThan(20);
  expect(count).toBeGreaterThan(30);
  // Somebody who drops one more day has no record of it.
  rmSync(join(dir, 'logs', 'audit-2026-03-03.ndjson'));
  expect((await verify(dir)).problem).toMatchObject({ kind: 'beginning' });
});

test('days that are set while it runs come before those of the host, and drop at once', async () => {
  const dir = makeDir();
  const now = { at: START };
  const store = await createJsonFileStore({ dir, trustsClock: true, now: () => now.at, auditRetentionDays: 30 });
  stores.push(store);
  for (let day = 0; day < 5; day += 1) {
    now.at = START + day * DAY_MS;
    await store.audit?.append([toEntry(`aud-${day}`)]);
  }
  expect(store.audit?.retention?.configuredDays).toBe(30);
  await store.settings.update((all) => ({ ...all, retention: { days: null, content_days: null, audit_days: 2 } }));
  await store.audit?.retention?.apply();
  expect(filesOf(dir)).toEqual(['03', '04', '05'].map((day) => `audit-2026-03-${day}.ndjson`));
  expect((await verify(dir)).problem).toBe(null);
});

test('a line that a crash has cut short was acknowledged to nobody, and is removed', async () => {
  const dir = makeDir();
  await fill(dir, { perDay: 3 });
  const path = join(dir, 'logs', 'audit-2026-03-01.ndjson');
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, -20));
  expect(await verify(dir)).toMatchObject({ count: 2, problem: null });
  await fill(dir, { perDay: 2 });
  expect(await verify(dir)).toMatchObject({ count: 4, problem: null });
});

test('a damaged record stays as it is when the store is opened and written to', async () => {
  const dir = makeDir();
  await fill(dir);
  edit(dir, 'audit-2026-03-01.ndjson', (lines) =>
    lines.map((line, at) => (at === 4 ? line.replace('abc', 'abd') : line)),
  );
  await fill(dir, { perDay: 2 });
  expect((await verify(dir)).problem).toMatchObject({ kind: 'changed', sequence: 5 });
  expect(
    readFileSync(join(dir, 'logs', 'audit-2026-03-01.ndjson'), 'utf8')
      .trimEnd()
      .split('\n'),
  ).toHaveLength(12);
});

test('a clock that leaps ahead names no file, so that what follows is dropped as ever', async () => {
  const dir = makeDir();
  const clock = { now: START };
  const { audit } = await open(dir, { now: () => clock.now, auditRetentionDays: 7, trustsClock: false });
  await audit.append([toEntry('aud-1')]);
  clock.now = START + 365 * DAY_MS;
  await audit.append([toEntry('aud-2')]);
  clock.now = START;
  await audit.append([toEntry('aud-3')]);
  expect(filesOf(dir)).toEqual(['audit-2026-03-01.ndjson']);
});

test('a file that has the name of a former day is kept as long as the newest of its records', async () => {
  const dir = makeDir();
  const appendOn = async (day: number, entries: readonly AuditEntry[]): Promise<void> => {
    const { audit, close } = await open(dir, { now: () => START + day * DAY_MS, auditRetentionDays: 7 });
    await audit.append(entries);
    await close();
  };
  const late = { ...toEntry('aud-2'), at: new Date(START + 10 * DAY_MS).toISOString() };
  await appendOn(0, [toEntry('aud-1'), late]);
  await appendOn(11, [toEntry('aud-3')]);
  expect(filesOf(dir)).toEqual(['audit-2026-03-01.ndjson', 'audit-2026-03-12.ndjson']);
  await appendOn(18, [toEntry('aud-4')]);
  expect(filesOf(dir)).toEqual(['audit-2026-03-12.ndjson', 'audit-2026-03-19.ndjson']);
});
