import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Store } from '@model-gateway/core';
import { afterEach, beforeEach } from 'vitest';

import {
  type JsonFileStore,
  type JsonFileStoreOptions,
  openJsonFileStore,
} from '../../../packages/node/src/stores/json-file-store.ts';
import { createManualTimers, type ManualTimers } from '../async/manual-timers.ts';
import { createFaultyFileSystem, type FaultyFileSystem } from './faulty-file-system.ts';
import { toContent, toRecord } from './generation-records.ts';

export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** A directory for JSON-file stores whose clock, timers and file system obey the test. New for each test. */
export interface JsonFilePlace {
  /** Holds `dir` and is removed after the test. */
  root: string;
  /** Where stores are opened; does not exist at first. */
  dir: string;
  /** Used by the stores opened from now on. */
  files: FaultyFileSystem;
  timers: ManualTimers;
  /** Time of their clock; at first 1 March 2026, 10:00 UTC. */
  nowMs: number;
  /** How far their wall clock is ahead of that time, and of the monotonic clock, which follows it. */
  wallLeadMs: number;
  /** Messages of warnings and errors. */
  warnings: string[];
  /** Opens a store; closed after the test if it is not yet. */
  open(options?: Partial<JsonFileStoreOptions>): Promise<JsonFileStore>;
  /** The next message to come, of any level. */
  nextMessage(): Promise<string>;
  /** One generation a day, `day-1` to `day-N`, the last one today; the clock moves with them. */
  fillDays(days: number): Promise<void>;
  /** Names of the files in `logs`. */
  logs(): Promise<string[]>;
  readLog(name: string): Promise<string>;
  readAllLogs(): Promise<string>;
}

/** Appends a generation whose content is told apart by `text`. */
export function append(store: Store, id: string, text = id): Promise<void> {
  return store.generations.append(toRecord(id), toContent(text));
}

/** The ids of all generations, newest first. */
export async function listIds(store: Store): Promise<string[]> {
  const { records } = await store.generations.page({ limit: 1_000 });
  return records.map(({ generation }) => generation.id);
}

/** Sets up a place before each test of the file, and removes it after. */
export function useJsonFilePlace(): JsonFilePlace {
  let opened: Store[] = [];
  let onMessage: (message: string) => void = () => undefined;

  const place: JsonFilePlace = {
    ...createFreshParts(),
    root: '',
    dir: '',
    async open(options = {}) {
      const warn = (message: string): void => {
        place.warnings.push(message);
        onMessage(message);
      };
      const logger = { info: (message: string) => onMessage(message), warn, error: warn };
      const { dir, files, timers } = place;
      const store = await openJsonFileStore(
        { dir, logger, now: () => place.nowMs + place.wallLeadMs, ...options },
        { files, monotonicNow: () => place.nowMs, setTimer: timers.setTimer },
      );
      opened.push(store);
      return store;
    },
    nextMessage: () => new Promise((resolve) => (onMessage = resolve)),
    async fillDays(days) {
      for (let day = 1; day <= days; day += 1) {
        const store = await place.open();
        await append(store, `day-${day}`);
        await store.close();
        if (day < days) place.nowMs += DAY_MS;
      }
    },
    logs: async () => (await readdir(join(place.dir, 'logs'))).toSorted(),
    readLog: (name) => readFile(join(place.dir, 'logs', name), 'utf8'),
    readAllLogs: async () => (await Promise.all((await place.logs()).map(place.readLog))).join(''),
  };

  beforeEach(async () => {
    const root = await mkdtemp(join(tmpdir(), 'gateway-store-'));
    Object.assign(place, createFreshParts(), { root, dir: join(root, 'data') });
    opened = [];
    onMessage = () => undefined;
  });
  afterEach(async () => {
    place.files.heal();
    for (const store of opened) await store.close().catch(() => undefined);
    await rm(place.root, { recursive: true });
  });
  return place;
}

function createFreshParts(): Pick<JsonFilePlace, 'files' | 'timers' | 'nowMs' | 'wallLeadMs' | 'warnings'> {
  return {
    files: createFaultyFileSystem(),
    timers: createManualTimers(),
    nowMs: Date.parse('2026-03-01T10:00:00Z'),
    wallLeadMs: 0,
    warnings: [],
  };
}
