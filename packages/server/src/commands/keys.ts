import process from 'node:process';

import { createKeyRecord, type KeyRecord } from '@model-gateway/core';
import { createNodePlatform } from '@model-gateway/node';

import { type Owner, readOwnerFile } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';
import { findStore, isDatabase, type NamedStore, type StoreFlags, withStore } from './find-store.ts';
import type { KeysCreateOptions } from './parse-keys.ts';

const OWNER_TIMEOUT_MS = 10_000;
const DEMO_DATA_DIR = 'data/demo';

/**
 * Issues a key and prints it on stdout, once. If a running gateway owns the data directory, that gateway issues the
 * key; otherwise the store is opened here.
 */
export async function createKey(options: KeysCreateOptions): Promise<void> {
  const named = await findStore(options);
  const owner = isDatabase(named) ? undefined : await readOwnerFile(named.store.dir);
  const issued = owner && (await askOwner(owner, options));
  const key = issued ?? (await createInStore(named, options));
  process.stdout.write(`${key}\n`);
  const kind = options.management ? 'management key' : 'API key';
  const where = issued === undefined ? describeStore(named) : `by the gateway at ${owner?.url}`;
  process.stderr.write(
    `The ${kind} "${options.name}" was created ${where}. It is shown this once.\n` +
      'Send it with every request, as the header "Authorization: Bearer <key>".\n',
  );
  if (issued === undefined) await mentionDemo(options);
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

const describeStore = (named: NamedStore): string =>
  isDatabase(named)
    ? 'in the database, so every gateway on it accepts it'
    : `in ${named.store.dir}, where no gateway runs at present`;

async function createInStore(named: NamedStore, { name, management, limitUsd }: KeysCreateOptions): Promise<string> {
  const kind: KeyRecord['kind'] = management ? 'management' : 'api';
  const { key, record } = await createKeyRecord({ platform: createNodePlatform(), name, kind, limitUsd });
  await withStore(named, async ({ keys }) => keys.insert(record));
  return key;
}

/** A user of the demo probably means the demo's directory; without the hint the key would be unknown there. */
export async function mentionDemo({ config, dataDir }: StoreFlags): Promise<void> {
  if (config !== undefined || dataDir !== undefined || (await readOwnerFile(DEMO_DATA_DIR)) === undefined) return;
  process.stderr.write(`A gateway in demo mode is running; for a key of that one, add --data-dir ${DEMO_DATA_DIR}.\n`);
}
