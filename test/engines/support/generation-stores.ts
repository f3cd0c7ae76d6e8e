import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GenerationRecord, Logger, RecordJournal, Store } from '@model-gateway/core';
import { openRecordJournal } from '@model-gateway/node';
import { createPostgresStore, type PostgresStoreOptions } from '@model-gateway/postgres';
import { onTestFinished } from 'vitest';

import { openJournalOn } from '../../../packages/node/src/stores/record-journal.ts';
import { createManualTimers } from '../../support/async/manual-timers.ts';
import { createFaultyFileSystem, type FaultyFileSystem } from '../../support/stores/faulty-file-system.ts';
import { toContent, toRecord } from '../../support/stores/generation-records.ts';
import { runStatement } from './postgres-server.ts';

/** A folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gateway-journal-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export interface OpenedStore extends Store {
  /** Messages of warnings and errors. */
  readonly said: readonly string[];
}

/** Opens a store with a journal, or without where `dir` is missing. It is closed after the test if it is not yet. */
export async function openStore({
  dir,
  ...options
}: PostgresStoreOptions & { readonly dir?: string }): Promise<OpenedStore> {
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  const logger: Logger = { info: () => undefined, warn: say, error: say };
  const journal = dir === undefined ? undefined : await openRecordJournal({ dir, logger });
  const store = await createPostgresStore({ logger, journal, ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  return { ...store, said };
}

export interface StoreOnFaultyDisk {
  readonly store: Store;
  readonly journal: RecordJournal;
  readonly files: FaultyFileSystem;
  /** Warnings and errors. */
  readonly said: readonly {
    readonly message: string;
    readonly fields?: Readonly<Record<string, unknown>> | undefined;
  }[];
}

/** Opens a store with a journal on a disk that the test can let fail. */
export async function openStoreOnFaultyDisk({
  dir,
  ...options
}: PostgresStoreOptions & { readonly dir: string }): Promise<StoreOnFaultyDisk> {
  const said: StoreOnFaultyDisk['said'][number][] = [];
  const say: Logger['warn'] = (message, fields) => void said.push({ message, fields });
  const logger: Logger = { info: () => undefined, warn: say, error: say };
  const files = createFaultyFileSystem();
  const journal = await openJournalOn({ dir }, { files, setTimer: createManualTimers().setTimer });
  const store = await createPostgresStore({ logger, journal, ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  return { store, journal, files, said };
}

/** An id of now, as the gateway makes them. */
export const makeId = (atMs = Date.now()): string =>
  `gen-${Math.floor(atMs / 1000)}-${randomBytes(12).toString('hex')}`;

/** A record of now, or of another time. */
export function makeRecord(atMs = Date.now(), changes: Parameters<typeof toRecord>[1] = {}): GenerationRecord {
  const generation = { created_at: new Date(atMs).toISOString(), ...changes.generation };
  return toRecord(makeId(atMs), { ...changes, generation });
}

export interface Load {
  readonly acknowledged: ReadonlyMap<string, number>;
  /** The longest that an append took. */
  readonly slowestMs: number;
  readonly failures: readonly unknown[];
  stop(): Promise<void>;
}

/** Appends so many generations a second, each with content, until it is stopped. */
export function startLoad({ generations }: Pick<Store, 'generations'>, perSecond: number): Load {
  const acknowledged = new Map<string, number>();
  const failures: unknown[] = [];
  const pending = new Set<Promise<void>>();
  let slowestMs = 0;
  const appendOne = async (): Promise<void> => {
    const costNanoUsd = 1 + acknowledged.size * 7;
    const record = makeRecord(Date.now(), { costNanoUsd });
    const { id } = record.generation;
    const beganAt = performance.now();
    try {
      await generations.append(record, toContent(id));
      acknowledged.set(id, costNanoUsd);
    } catch (error) {
      failures.push(error);
    }
    slowestMs = Math.max(slowestMs, performance.now() - beganAt);
  };
  const timer = setInterval(() => {
    for (let index = 0; index < perSecond / 100; index += 1) {
      const one = appendOne().finally(() => pending.delete(one));
      pending.add(one);
    }
  }, 10);
  return {
    acknowledged,
    failures,
    get slowestMs() {
      return slowestMs;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}

export interface Written {
  readonly generations: number;
  readonly distinct: number;
  readonly contents: number;
  readonly costNano: number;
  readonly spentNano: number;
  readonly keysNano: number;
}

/** What the database has of generations and of spending. */
export async function readWritten(url: string): Promise<Written> {
  const [row] = await runStatement(
    url,
    `select count(*)::int as generations, count(distinct id)::int as distinct,
       (select count(*)::int from gateway.contents) as contents,
       coalesce(sum(cost_nano), 0)::text as cost,
       (select coalesce(sum(credits_nano + byok_nano), 0)::text from gateway.spending where kind = 'account') as spent,
       (select coalesce(sum(credits_nano + byok_nano), 0)::text from gateway.spending where kind = 'key') as keys
     from gateway.generations`,
  );
  const { generations, distinct, contents, cost, spent, keys } = row as Record<string, unknown>;
  return {
    generations: Number(generations),
    distinct: Number(distinct),
    contents: Number(contents),
    costNano: Number(cost),
    spentNano: Number(spent),
    keysNano: Number(keys),
  };
}

/** Which of these ids the database has not. */
export async function findMissing(url: string, ids: Iterable<string>): Promise<string[]> {
  const rows = await runStatement(url, 'select id from gateway.generations');
  const found = new Set(rows.map((row) => (row as { readonly id: string }).id));
  return [...ids].filter((id) => !found.has(id));
}
