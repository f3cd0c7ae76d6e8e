import type { ListedModel } from '@model-gateway/clients';

import { type Directory, createKeyIn, withStore } from '../open/find-store.ts';
import { askOwner, describeReply, type Owner, readOwnerFile } from '../process/owner-file.ts';
import { StartError } from '../process/start-error.ts';

/** The gateway whose keys are made and deleted: the one that runs, or its data directory. */
export interface KeyPlace {
  readonly dataDir: string;
  /** Undefined where no gateway runs. */
  readonly owner: Owner | undefined;
  /** What the running gateway lists. */
  readonly models: readonly ListedModel[];
  readonly defaultModel: string | undefined;
}

/** Finds the running gateway of a data directory, and asks it for its models. */
export async function openKeyPlace(dataDir: string): Promise<KeyPlace> {
  const owner = await readOwnerFile(dataDir);
  const listed = owner && (await askOwner(owner, 'GET', '/api/v1/models'));
  // It has just ended, or its PID belongs to another program.
  if (owner === undefined || listed === undefined) {
    return { dataDir, owner: undefined, models: [], defaultModel: undefined };
  }
  const settings = await askOwner(owner, 'GET', '/admin/v1/settings');
  return {
    dataDir,
    owner,
    models: (listed.body as { data?: readonly ListedModel[] }).data ?? [],
    defaultModel:
      ((settings?.body ?? {}) as { data?: { default_model?: string | null } }).data?.default_model ?? undefined,
  };
}

/** The names of the keys that there are. */
export async function listKeyNames({ owner, dataDir }: KeyPlace): Promise<readonly string[]> {
  if (owner === undefined)
    return withStore(toStore(dataDir), async ({ keys }) => (await keys.list()).map(({ name }) => name));
  const listed = await askOwner(owner, 'GET', '/api/v1/keys');
  return (((listed?.body ?? {}) as { data?: readonly { name: string }[] }).data ?? []).map(({ name }) => name);
}

/** Makes a key; a limit holds for each month, null is none. */
export async function createToolKey(
  { owner, dataDir }: KeyPlace,
  { name, limitUsd }: { readonly name: string; readonly limitUsd: number | null },
): Promise<string> {
  const limitReset = limitUsd === null ? null : ('monthly' as const);
  if (owner === undefined) {
    return createKeyIn(toStore(dataDir), { name, kind: 'api', limitUsd, limitReset });
  }
  const made = await askOwner(owner, 'POST', '/api/v1/keys', { name, limit: limitUsd, limit_reset: limitReset });
  const { key } = (made?.body ?? {}) as { key?: unknown };
  if (made?.status === 201 && typeof key === 'string') return key;
  throw new StartError(`The gateway at ${owner.url} did not create a key: ${describeReply(made)}.`);
}

/** Deletes a key by its hash. False where there is no such key any more. */
export async function deleteToolKey(dataDir: string, keyHash: string): Promise<boolean> {
  const owner = await readOwnerFile(dataDir);
  const deleted = owner && (await askOwner(owner, 'DELETE', `/api/v1/keys/${keyHash}`));
  if (owner === undefined || deleted === undefined)
    return withStore(toStore(dataDir), async ({ keys }) => keys.remove(keyHash));
  if (deleted.status === 200 || deleted.status === 404) return deleted.status === 200;
  throw new StartError(`The gateway at ${owner.url} did not delete the key: ${describeReply(deleted)}. Try again.`);
}

const toStore = (dir: string): Directory => ({ store: { type: 'json', dir } });
