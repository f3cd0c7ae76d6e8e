import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { checkWith, createTurns, EMPTY_TABLES, type StoredProvider, type Tables } from '@model-gateway/core';
import * as z from '@model-gateway/core/foundation/zod';
import { tablesSchema } from '@model-gateway/core/stores/table-schemas';
import { type Adapter, Low } from 'lowdb';

import { readWholeFile, replaceFile, setAside } from '../files/atomic-file.ts';
import { errorReason, type FileSystem, ifThere, UnusableDirectoryError } from '../files/file-system.ts';
import type { RecoveryOptions } from '../log/recover-log.ts';

/** The format version of the data directory; raised when an older program would misread it. */
export const FORMAT_VERSION = 1;

/** The content of `config.json`: the tables that change seldom. */
interface ConfigData extends Tables {
  readonly version: number;
}

/** The file of the tables that change seldom, in memory and on disk. */
export interface ConfigFile {
  /** The data of the last successful write. */
  readonly data: ConfigData;
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
  /**
   * Writes the result of `change` for the present data, with those of other changes that wait for a write before. Durable
   * when it resolves, unchanged when it rejects.
   */
  change(change: (data: ConfigData) => ConfigData): Promise<void>;
  /** Resolves when no write is running. */
  settled(): Promise<void>;
}

const configSchema = tablesSchema.extend({ version: z.int() });
const EMPTY_CONFIG: ConfigData = { version: FORMAT_VERSION, ...EMPTY_TABLES };

/** Parts that opening the file requires. `directory` exists and belongs to this process. */
interface ConfigFileOptions extends RecoveryOptions {
  readonly directory: string;
}

/**
 * Opens `config.json`, or creates one. When it is damaged, its copy is used and the damaged file is set aside, with a
 * warning. Without a readable copy it throws and changes nothing: an older version could revive a revoked key
 * (docs/decisions/0033).
 */
export async function openConfigFile(options: ConfigFileOptions): Promise<ConfigFile> {
  const low = new Low<ConfigData>(createAdapter(options), EMPTY_CONFIG);
  await low.read();
  const isNew = low.data === EMPTY_CONFIG;
  await low.write();

  let written = low.data;
  const queue = createChangeQueue<ConfigData>({
    read: () => written,
    async write(next) {
      low.data = next;
      await low.write();
      written = next;
    },
  });

  return {
    get data() {
      return written;
    },
    isNew,
    change: queue.change,
    settled: queue.settled,
  };
}

function createAdapter(options: ConfigFileOptions): Adapter<ConfigData> {
  const { files } = options;
  const paths = pathsIn(options.directory);
  /** What both files hold; undefined while that is not known. */
  let lastText: string | undefined;
  return {
    async read() {
      const found = await readConfig(files, paths.main);
      const good = found.status === 'good' ? found : await recover(options, found);
      if (good === null) return null;
      if (!(await holds(files, paths.copy, good.text))) await replaceFile(files, paths.copy, Buffer.from(good.text));
      lastText = good.text;
      return good.data;
    },
    async write(data) {
      const text = `${JSON.stringify(data, null, 2)}\n`;
      // Writing the same text again would replace the version before it in `config.previous.json`.
      if (text === lastText) return;
      // The failure may have come after the rename, so the content of the file is unknown.
      lastText = undefined;
      const bytes = Buffer.from(text);
      // The copy first: a change that fails here is not there after a restart either.
      await replaceFile(files, paths.copy, bytes);
      await replaceFile(files, paths.main, bytes, { previousPath: paths.previous });
      lastText = text;
    },
  };
}

const pathsIn = (directory: string) => ({
  main: join(directory, 'config.json'),
  /** The same version, for when the file is damaged. */
  copy: join(directory, 'config.copy.json'),
  /** The version before the last write, for people to go back to; the program never does. */
  previous: join(directory, 'config.previous.json'),
});

async function holds(files: FileSystem, path: string, text: string): Promise<boolean> {
  try {
    return (await readWholeFile(files, path)).toString() === text;
  } catch {
    return false;
  }
}

interface GoodConfig {
  readonly status: 'good';
  readonly data: ConfigData;
  readonly text: string;
}

type ReadConfig = GoodConfig | { readonly status: 'missing' } | { readonly status: 'damaged'; readonly reason: string };

async function readConfig(files: FileSystem, path: string): Promise<ReadConfig> {
  const text = (await ifThere(readWholeFile(files, path)))?.toString();
  if (text === undefined) return { status: 'missing' };
  let parsed: unknown;
  try {
    // Some editors add a byte order mark.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { status: 'damaged', reason: errorReason(error) };
  }
  refuseNewerVersion(path, parsed);
  const checked = checkWith(configSchema, parsed);
  // Uses the data as written, not as checked, to keep fields that a newer program of the same version added.
  return checked.success
    ? { status: 'good', data: { ...EMPTY_CONFIG, ...(parsed as ConfigData) }, text }
    : { status: 'damaged', reason: z.prettifyError(checked.error).replaceAll(/\s*\n\s*/g, ' ') };
}

/** Puts the copy in the place of a file that cannot be read; null when nothing was ever written. */
async function recover(
  options: ConfigFileOptions,
  problem: Exclude<ReadConfig, GoodConfig>,
): Promise<GoodConfig | null> {
  const { files, logger, directory, now } = options;
  const paths = pathsIn(directory);
  const copy = await readConfig(files, paths.copy);
  const isMissing = problem.status === 'missing';
  const reason = isMissing ? 'it is missing' : problem.reason;
  if (copy.status !== 'good') {
    const previous = await readConfig(files, paths.previous);
    if (isMissing && copy.status === 'missing' && previous.status === 'missing') return null;
    throw new UnusableDirectoryError(
      `${paths.main} cannot be read (${reason}), nor can its copy, ${paths.copy}. Nothing was changed. Restore one of ` +
        'them from a backup, or move all config*.json away to begin again without keys' +
        (previous.status === 'good'
          ? `. ${paths.previous} is the version before the last change: renamed to config.json it undoes that change, ` +
            'and a key that it revoked is valid again'
          : ''),
    );
  }
  const keptAs = isMissing ? null : await setAside(files, paths.main, now());
  await replaceFile(files, paths.main, Buffer.from(copy.text));
  logger?.warn('config.json could not be read; its copy is used', { reason, keptAs });
  return copy;
}

/** Throws when a newer program has written the file: this one would misread or lose its data. */
export function refuseNewerVersion(path: string, parsed: unknown): void {
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  if (typeof version !== 'number' || version <= FORMAT_VERSION) return;
  throw new UnusableDirectoryError(
    `${path} was written by a newer Model Gateway (format ${version}; this one reads up to ${FORMAT_VERSION}). ` +
      'Update Model Gateway, or choose another data directory',
  );
}

/** Changes of one value, one after the other; those that come while a write is under way are written together. */
interface ChangeQueue<Value> {
  /**
   * Makes a change on what the one before has left. Resolves when the result is durable. Rejects when the change throws,
   * which concerns no other, or when the write fails: nothing of that write has happened.
   */
  change(change: (value: Value) => Value): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

interface ChangeQueueOptions<Value> {
  /** The value of the last successful write. */
  readonly read: () => Value;
  /** Makes a value durable, which `read` returns from then on. Called for one value at a time. */
  readonly write: (value: Value) => Promise<void>;
}

interface WaitingChange<Value> {
  readonly change: (value: Value) => Value;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createChangeQueue<Value>({ read, write }: ChangeQueueOptions<Value>): ChangeQueue<Value> {
  let waiting: WaitingChange<Value>[] = [];
  const inTurn = createTurns();
  const writeWaiting = async (): Promise<void> => {
    const taken = waiting;
    waiting = [];
    const failures = new Map<WaitingChange<Value>, unknown>();
    let value = read();
    for (const one of taken) {
      try {
        value = one.change(value);
      } catch (error) {
        failures.set(one, error);
      }
    }
    try {
      if (failures.size < taken.length) await write(value);
    } catch (error) {
      // A change that has thrown may have done so for what another of this write had made, which is not there now.
      for (const { reject } of taken) reject(error);
      return;
    }
    for (const one of taken) {
      if (failures.has(one)) one.reject(failures.get(one));
      else one.resolve();
    }
  };
  return {
    change: (change) =>
      new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject });
        if (waiting.length === 1) void inTurn(writeWaiting);
      }),
    settled: () => inTurn(() => undefined),
  };
}

/**
 * Whether the store of a data directory has providers, without opening it: another process may own it. Of a damaged
 * file the copy counts, as when the store is opened.
 */
export function hasStoredProviders(dir: string): boolean {
  const rows = readRows(dir);
  return Array.isArray(rows) && rows.length > 0;
}

/** The providers in the store of a data directory, in the same way. What cannot be read as a list of them is none. */
export function readStoredProviders(dir: string): readonly StoredProvider[] {
  return tablesSchema.shape.providers.safeParse(readRows(dir)).data ?? [];
}

const readRows = (dir: string): unknown =>
  (readTables(join(dir, 'config.json')) ?? readTables(join(dir, 'config.copy.json')))?.['providers'];

function readTables(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
