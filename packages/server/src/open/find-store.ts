import { userInfo } from 'node:os';
import process from 'node:process';

import { createKeyRecord, type KeyRecord, type Logger, recordCommand, type Store } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import {
  ConfigError,
  createJsonFileStore,
  createNodePlatform,
  type GatewayConfig,
  loadConfig,
} from '@model-gateway/node';
import type { PostgresStore } from '@model-gateway/postgres';

import { type StoreFlags, UsageError } from '../process/flags.ts';
import { DEMO_DATA_DIR, type Owner, readOwnerFile } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';

/** A store that outlives its processes. */
type LastingStore = Exclude<GatewayConfig['store'], { readonly type: 'memory' }>;
export interface Directory {
  readonly store: { readonly type: 'json'; readonly dir: string };
}
export type NamedStore = Directory | Database;

export interface Database {
  readonly store: Extract<LastingStore, { readonly type: 'postgres' }>;
  readonly retentionDays: number;
}

/** For stores that a command opens for a moment: nothing is dropped by it. */
export const KEEPS_ALL = {
  retentionDays: Infinity,
  maxGenerations: Infinity,
  maxContentBytes: Infinity,
  auditRetentionDays: Infinity,
} as const;
const COMMAND_CONNECTIONS = 4;

/** Reads the configuration that a command is given. Throws `ConfigError`. */
export async function readConfig(flags: StoreFlags, env: NodeJS.ProcessEnv = process.env): Promise<GatewayConfig> {
  // A config may leave values out that the built-in models have.
  const { BUILT_IN_MODELS } = await import('@model-gateway/core/catalog/built-in-models');
  return loadConfig({
    file: flags.config,
    env,
    flags: { dataDir: flags.dataDir },
    presets: PRESETS,
    builtInModels: BUILT_IN_MODELS,
  });
}

/** The store that the flags or the config name. */
export async function findStore(flags: StoreFlags): Promise<NamedStore> {
  const { store, logging } = await readConfig(flags).catch((error: unknown) => {
    // Where the store is a directory that is given, the config and its secrets are not needed.
    if (flags.dataDir === undefined || !(error instanceof ConfigError)) throw error;
    return readConfig({ config: undefined, dataDir: flags.dataDir });
  });
  if (store.type === 'json') return { store };
  if (store.type === 'postgres') return { store, retentionDays: logging.retentionDays };
  if (store.type === 'module') {
    throw new UsageError(
      `The store of this config is of your own (${store.module}), and the gateway alone opens it. ` +
        'Use the management API, or list keys in auth.bootstrapKeys.',
    );
  }
  throw new UsageError(
    'This config uses a memory store, which does not store keys. List them in auth.bootstrapKeys instead.',
  );
}

/** The database that a config names, with how long it keeps generations. */
export async function findDatabase(config: string | undefined): Promise<Database> {
  const { store, logging } = await readConfig({ config, dataDir: undefined });
  if (store.type === 'postgres') return { store, retentionDays: logging.retentionDays };
  const where = config === undefined ? 'Pass the gateway’s config file with --config' : `Name one in ${config}`;
  throw new UsageError(
    `No database is configured. ${where}: "store": { "type": "postgres", "url": "env:DATABASE_URL" }`,
  );
}

/** Opens a store that no gateway has to run on, and closes it again. */
export async function withStore<Result>(named: NamedStore, use: (store: Store) => Promise<Result>): Promise<Result> {
  const opened = isDatabase(named)
    ? await openDatabase(named, { migrates: true })
    : await openJsonStore(named.store.dir);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

export const isDatabase = (named: NamedStore): named is Database => named.store.type === 'postgres';

/** Opens the JSON-file store of a directory. Rejects with the PID of a gateway that uses it. */
export const openJsonStore = (dir: string): Promise<Store> =>
  createJsonFileStore({ dir, logger: toStderr, ...KEEPS_ALL });

/**
 * Opens a database, beside any gateways that use it. Rejects with the reason when it is away, or lacks migrations that
 * a command which only reads leaves to whoever runs the gateways.
 */
export async function openDatabase(
  { store: { url } }: Database,
  { migrates }: { readonly migrates: boolean },
): Promise<PostgresStore> {
  const { createPostgresStore } = await import('@model-gateway/postgres');
  const store = await createPostgresStore({
    url,
    urlName: 'store.url',
    migrates,
    maxConnections: COMMAND_CONNECTIONS,
    retentionDays: KEEPS_ALL.retentionDays,
    auditRetentionDays: KEEPS_ALL.auditRetentionDays,
    // Missing migrations are told of once, by the error below.
    logger: migrates ? toStderr : undefined,
  });
  const readiness = store.readiness?.();
  if (readiness?.isReady !== false) return store;
  await store.close();
  throw new StartError(readiness.reason);
}

/** Who runs a command; the system may not know the user by a name. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

type NewKey = Pick<KeyRecord, 'name' | 'kind' | 'limitUsd'> & Partial<Pick<KeyRecord, 'limitReset'>>;

/** Makes a key in a store that no gateway runs on, and returns it. */
export async function createKeyIn(named: NamedStore, fields: NewKey): Promise<string> {
  const platform = createNodePlatform();
  const { key, record } = await createKeyRecord({ platform, ...fields });
  await withStore(named, async ({ keys, audit }) => {
    await keys.insert(record);
    const { hash: id, name, workspaceId: workspace } = record;
    const target = { kind: 'key', id, name, workspace } as const;
    await recordCommand(audit, platform, { action: 'key.create', target, table: 'keys', row: record }, userName());
  });
  return key;
}

/** A data directory, and the gateway that runs with it. */
export interface OwnedDirectory {
  readonly dir: string;
  /** Undefined where none is running. */
  readonly owner: Owner | undefined;
}

/**
 * Finds the gateway that runs with a directory. Without flags that is also one in demo mode in this folder, so that
 * every command means the same gateway.
 */
export async function findOwner({ store: { dir } }: Directory, flags: StoreFlags): Promise<OwnedDirectory> {
  const owner = await readOwnerFile(dir);
  const isAnyMeant = flags.config === undefined && flags.dataDir === undefined;
  if (owner !== undefined || !isAnyMeant) return { dir, owner };
  const demo = await readOwnerFile(DEMO_DATA_DIR);
  return demo === undefined ? { dir, owner } : { dir: DEMO_DATA_DIR, owner: demo };
}

const write: Logger['warn'] = (message, fields = {}) => {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  const details = named.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  process.stderr.write(`${message}${details.length === 0 ? '' : ` (${details.join(', ')})`}\n`);
};
/** Warnings alone. */
export const toStderr: Logger = { info: () => undefined, warn: write, error: write };
