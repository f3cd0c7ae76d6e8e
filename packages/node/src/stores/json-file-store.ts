import { join } from 'node:path';

import {
  type BatchRow,
  type BroadcastRow,
  createRowRepository,
  createTableRepositories,
  type GuardrailHitsRow,
  hasEnded,
  type KeptDays,
  type Platform,
  type Repository,
  type RerunRow,
  type Store,
  type StoredFile,
  type StoredPreset,
  type StoredPrompt,
  type TableSource,
  toAuditDays,
  toKeptDays,
  type VideoJob,
} from '@model-gateway/core';

import { monotonicNow, setUnrefTimer } from '../node-timers.ts';
import { openAuditLog } from './audit/audit-log.ts';
import { openDeliveryLog } from './deliveries/delivery-log.ts';
import { sweepTemporaryFiles } from './files/atomic-file.ts';
import {
  type DataDirectory,
  isUnused,
  prepareDataDirectory,
  removeMadeFolders,
  removeStore,
  toDirectoryError,
} from './files/directory.ts';
import { type FileSystem, holdDirectory, nodeFileSystem } from './files/file-system.ts';
import {
  type Closable,
  closeAndRelease,
  type DirectoryOptions,
  type DirectoryOwner,
  takeDirectory,
} from './files/ownership.ts';
import { openCarriedLog } from './generations/carried-log.ts';
import { type GenerationLogOptions, openGenerationLog } from './generations/generation-log.ts';
import { openRunningLog, recordInterrupted } from './generations/running-log.ts';
import { openRowLog } from './log/row-log.ts';
import { openRetentionClock } from './retention-clock.ts';
import { type ConfigFile, openConfigFile } from './tables/config-file.ts';

/** Where a JSON-file store lives and how much it keeps. */
export interface JsonFileStoreOptions extends DirectoryOptions {
  /** Whole days that generations are kept; `Infinity`: nothing is dropped for its age. Default: 30. */
  readonly retentionDays?: number | undefined;
  /** Number of generations that are kept, to within a tenth. Default: 100,000; the store is not made for more. */
  readonly maxGenerations?: number | undefined;
  /** Bytes of all prompts and completions that are kept, to within a tenth. Default: 2 GiB. */
  readonly maxContentBytes?: number | undefined;
  /** Whole days that records of the audit log are kept; `Infinity`: for ever. Default: 365. */
  readonly auditRetentionDays?: number | undefined;
  /**
   * Drops by age at once although the clock is ahead of the data by more than a day. Default: false, so that a clock
   * that is wrong deletes nothing; dropping then waits for a day of steady time.
   */
  readonly trustsClock?: boolean | undefined;
}

/** A store in files. */
export interface JsonFileStore extends Store {
  /**
   * Drops all generations that were written on a day (`2026-03-01`, UTC) or before it, with what they cost, as if they
   * had never been: made-up ones alone. Rejects when that day is still written to.
   */
  discardThrough(day: string): Promise<void>;
}

/** Parts of the machine that tests replace. */
interface StoreHost extends Pick<Platform, 'monotonicNow' | 'setTimer'> {
  readonly files: FileSystem;
}

/** What a store makes in its directory beside `logs`. */
const STORE_FILES = [
  'config.json',
  'config.copy.json',
  'config.previous.json',
  'clock.json',
  'running.ndjson',
  'carried-spending.ndjson',
  'video-jobs.ndjson',
  'broadcasts.ndjson',
  'guardrail-hits.ndjson',
  'prompts.ndjson',
  'presets.ndjson',
  'reruns.ndjson',
  'files.ndjson',
  'batches.ndjson',
];
const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_RETENTION_DAYS = 30;
const DEFAULT_AUDIT_RETENTION_DAYS = 365;
const DEFAULT_MAX_GENERATIONS = 100_000;
const DEFAULT_MAX_CONTENT_BYTES = 2 * 1024 ** 3;

/**
 * Opens the store that keeps everything in files of one directory: `config.json`, and daily logs of generations under
 * `logs/`. What it acknowledges survives the death of this process at once, and that of the machine within a second.
 * The caller closes it. Throws one clear line when the directory is unusable or was written by a newer version,
 * `DirectoryInUseError` when another process uses it. Damage never makes it start empty: it keeps what is readable,
 * sets the rest aside and reports both to the logger.
 */
export async function createJsonFileStore(options: JsonFileStoreOptions): Promise<JsonFileStore> {
  return openJsonFileStore(options, { files: nodeFileSystem, monotonicNow, setTimer: setUnrefTimer });
}

/** As `createJsonFileStore`, on a given host. */
export async function openJsonFileStore(options: JsonFileStoreOptions, host: StoreHost): Promise<JsonFileStore> {
  const directory = await prepareDataDirectory(options.dir, options.logger);
  const owner = await takeDirectory(options, directory);
  const wasUnused = owner !== undefined && (await isUnused(directory, STORE_FILES).catch(() => false));
  const logs: Closable[] = [];
  try {
    return await openOwned(options, host, { directory, owner, logs });
  } catch (error) {
    for (const log of logs) await log.close().catch(() => undefined);
    if (wasUnused) await removeStore(directory, STORE_FILES);
    await owner?.release();
    await removeMadeFolders(directory.made);
    throw toDirectoryError(options.dir, error);
  }
}

interface Opening {
  readonly directory: DataDirectory;
  readonly owner: DirectoryOwner | undefined;
  /** The logs that are open so far, in the order in which they are closed. */
  readonly logs: Closable[];
}

async function openOwned(
  options: JsonFileStoreOptions,
  { files: unheld, monotonicNow, setTimer }: StoreHost,
  { directory, owner, logs }: Opening,
): Promise<JsonFileStore> {
  const { logger, now = () => Date.now(), trustsClock = false } = options;
  const { path, logsPath } = directory;
  const files = await holdDirectory(unheld, path);
  const limits = toLimits(options);
  const common = { files, logger, now };
  await sweepTemporaryFiles(files, path);
  await sweepTemporaryFiles(files, logsPath);
  const config = await openConfigFile({ ...common, directory: path });
  const retentionClock = await openRetentionClock({
    ...common,
    directory: path,
    logsPath,
    monotonicNow,
    trustsClock,
    dropsByAge: Number.isFinite(limits.retentionDays),
  });
  const running = await openRunningLog({ ...common, path: join(path, 'running.ndjson') });
  logs.push(running);
  const keptDays = (): KeptDays => toKeptDays(config.data.settings, limits.retentionDays);
  const generations = await openGenerationLog({
    ...common,
    logsPath,
    retentionClock,
    setTimer,
    monotonicNow,
    limits,
    keptDays,
  });
  logs.push(generations);
  const { spending } = generations;
  const carried = await openCarriedLog({ ...common, path: join(path, 'carried-spending.ndjson'), spending });
  await recordInterrupted(running, generations.repository, logger);
  const { days: retentionDays } = keptDays();
  const oldestMs = retentionClock.now() - retentionDays * DAY_MS;
  const openRows = async <Row extends { readonly id: string }>(
    name: string,
    isRetained: (row: Row) => boolean,
  ): Promise<Repository<Row>> => {
    const log = await openRowLog<Row>({ ...common, path: join(path, name), isRetained });
    logs.push(log);
    return createRowRepository<Row>(log);
  };
  const videoJobs = await openRows<VideoJob>(
    'video-jobs.ndjson',
    (job) => !hasEnded(job) || job.delivery?.state === 'waiting' || job.updatedAt > oldestMs,
  );
  const broadcasts = await openRows<BroadcastRow>(
    'broadcasts.ndjson',
    (row) => row.kind !== 'delivery' || row.createdAt > oldestMs,
  );
  const guardrailHits = await openRows<GuardrailHitsRow>(
    'guardrail-hits.ndjson',
    ({ day }) => Date.parse(day) + DAY_MS > oldestMs,
  );
  const prompts = await openRows<StoredPrompt>('prompts.ndjson', () => true);
  const presets = await openRows<StoredPreset>('presets.ndjson', () => true);
  const reruns = await openRows<RerunRow>('reruns.ndjson', () => true);
  const batches = await openRows<BatchRow>('batches.ndjson', () => true);
  const storedFiles = await openRows<StoredFile>('files.ndjson', () => true);
  const deliveries = await openDeliveryLog({ ...common, logsPath, retentionClock, retentionDays });
  logs.push(deliveries);
  const { auditRetentionDays: configuredDays = DEFAULT_AUDIT_RETENTION_DAYS } = options;
  const auditDays = (): number => toAuditDays(config.data.settings, configuredDays);
  const audit = await openAuditLog({ ...common, logsPath, retentionClock, configuredDays, keptDays: auditDays });
  logs.push(audit);
  if (config.isNew && generations.loaded > 0) {
    const message = 'There was no config.json beside the logs of generations; the store begins without keys';
    logger?.warn(message, { directory: path });
  }
  await retentionClock.save();
  let closing: Promise<void> | undefined;
  return {
    ...createTableRepositories(createTableSource(config)),
    videoJobs,
    broadcasts,
    guardrailHits,
    prompts,
    presets,
    reruns,
    files: storedFiles,
    batches,
    deliveries,
    audit,
    generations: {
      ...generations.repository,
      noteRunning: running.note,
      listSpending: carried.list,
      carrySpending: carried.carry,
    },
    discardThrough: generations.discardThrough,
    retention: {
      now: retentionClock.now,
      isHeld: retentionClock.isHeld,
      changes: {
        configuredDays: limits.retentionDays,
        apply: generations.retention.apply,
        preview: generations.retention.preview,
      },
    },
    engine: { type: 'json', address: options.dir },
    // Once: the directory may have another owner by the second time.
    close: () =>
      (closing ??= closeAndRelease([{ close: retentionClock.save }, { close: config.settled }, ...logs], owner)),
  };
}

const toLimits = (options: JsonFileStoreOptions): GenerationLogOptions['limits'] => ({
  retentionDays: options.retentionDays ?? DEFAULT_RETENTION_DAYS,
  maxGenerations: options.maxGenerations ?? DEFAULT_MAX_GENERATIONS,
  maxContentBytes: options.maxContentBytes ?? DEFAULT_MAX_CONTENT_BYTES,
});

/** The tables of the configuration file for the repositories. Reads from memory. */
export function createTableSource(config: ConfigFile): TableSource {
  return {
    read: () => config.data,
    change: (change) => config.change((data) => ({ ...data, ...change(data) })),
  };
}
