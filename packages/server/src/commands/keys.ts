import process from 'node:process';

import { createKeyRecord, type KeyRecord, type Logger, type Store } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { createJsonFileStore, createNodePlatform, loadConfig } from '@model-gateway/node';

import { type Owner, readOwnerFile } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';
import { type KeysCreateOptions, UsageError } from './parse-command.ts';

const OWNER_TIMEOUT_MS = 10_000;
const DEMO_DATA_DIR = 'data/demo';

/** The flags that say whose keys are meant. */
type StoreFlags = Pick<KeysCreateOptions, 'config' | 'dataDir'>;

/**
 * Issues a key and prints it on stdout, once. If a running gateway owns the data directory, that gateway issues the
 * key; otherwise the store is opened here.
 */
export async function createKey(options: KeysCreateOptions): Promise<void> {
  const dataDir = await findDataDir(options);
  const owner = await readOwnerFile(dataDir);
  const issued = owner && (await askOwner(owner, options));
  const key = issued ?? (await createInStore(dataDir, options));
  process.stdout.write(`${key}\n`);
  const kind = options.management ? 'management key' : 'API key';
  const where =
    issued === undefined ? `in ${dataDir}, where no gateway runs at present` : `by the gateway at ${owner?.url}`;
  process.stderr.write(
    `The ${kind} "${options.name}" was created ${where}. It is shown this once.\n` +
      'Send it with every request, as the header "Authorization: Bearer <key>".\n',
  );
  if (issued === undefined) await mentionDemo(options);
}

/** The directory that the flags or the config name. */
export async function findDataDir({ config: file, dataDir }: StoreFlags): Promise<string> {
  // A config may leave values out that the built-in models have.
  const { BUILT_IN_MODELS } = await import('@model-gateway/core/catalog/built-in-models');
  // When a directory is given, the config and its secrets are not needed.
  const config = loadConfig({
    file: dataDir === undefined ? file : undefined,
    env: process.env,
    flags: { dataDir },
    presets: PRESETS,
    builtInModels: BUILT_IN_MODELS,
  });
  if (config.store.type === 'json') return config.store.dir;
  throw new UsageError(
    'The store of this config is memory, which keeps no keys. List them in auth.bootstrapKeys instead.',
  );
}

/** Undefined without a response: the owner has just ended, or its PID now belongs to another program. */
async function askOwner(owner: Owner, { name, management, limitUsd }: KeysCreateOptions): Promise<string | undefined> {
  const response = await fetch(`${owner.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, limit: limitUsd, ...(management && { management }) }),
    signal: AbortSignal.timeout(OWNER_TIMEOUT_MS),
  }).catch(() => undefined);
  if (response === undefined) return undefined;
  const body = (await response.json().catch(() => ({}))) as { key?: unknown; error?: { message?: unknown } };
  if (response.status === 201 && typeof body.key === 'string') return body.key;
  const reason = typeof body.error?.message === 'string' ? body.error.message : 'no reason given';
  throw new StartError(`The gateway with PID ${owner.pid} made no key: ${reason} (status ${response.status}).`);
}

async function createInStore(dir: string, { name, management, limitUsd }: KeysCreateOptions): Promise<string> {
  const kind: KeyRecord['kind'] = management ? 'management' : 'api';
  const { key, record } = await createKeyRecord({ platform: createNodePlatform(), name, kind, limitUsd });
  await withStore(dir, async ({ keys }) => keys.insert(record));
  return key;
}

/** Opens the store of a directory that no gateway runs on, and closes it again. */
export async function withStore<Result>(dir: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await createJsonFileStore({
    dir,
    logger: toStderr,
    // Keeps all generations, because this command does not know the configured limits.
    retentionDays: Number.MAX_SAFE_INTEGER,
    maxGenerations: Number.MAX_SAFE_INTEGER,
    maxContentBytes: Number.MAX_SAFE_INTEGER,
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const write = (message: string): void => void process.stderr.write(`${message}\n`);
const toStderr: Logger = { info: () => undefined, warn: write, error: write };

/** A user of the demo probably means the demo's directory; without the hint the key would be unknown there. */
export async function mentionDemo({ config, dataDir }: StoreFlags): Promise<void> {
  if (config !== undefined || dataDir !== undefined || (await readOwnerFile(DEMO_DATA_DIR)) === undefined) return;
  process.stderr.write(`A gateway in demo mode is running; for a key of that one, add --data-dir ${DEMO_DATA_DIR}.\n`);
}
