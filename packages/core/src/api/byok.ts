import { chooseWorkspaceId } from '../account/workspaces.ts';
import type { ConfiguredKeys } from '../auth/authenticate.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Provider } from '../providers/provider.ts';
import { type LiveSetup, requireLiveSetup } from '../setup/live-setup.ts';
import { byokContextOf } from '../stores/sealed-contexts.ts';
import type { Store } from '../stores/store.ts';
import {
  type ByokKey,
  byokKeyListSchema,
  type ByokKeyRecord,
  byokKeyResponseSchema,
  byokListQuerySchema,
  createByokKeyRequestSchema,
  type UpdateByokKeyRequest,
  updateByokKeyRequestSchema,
} from '../wire/byok.ts';
import { deletedSchema, givenFields, refuseField, toKeyHint, toPage } from '../wire/fields.ts';

export interface ByokParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'byokKeys' | 'keys' | 'workspaces'>;
  readonly configuredKeys: ConfiguredKeys;
  readonly providers: readonly Provider[];
  /** Undefined where nothing can be stored through the API. */
  readonly liveSetup: LiveSetup | undefined;
}

/** Every process has them in memory. */
const MAX_KEYS = 1000;

/** `GET /byok`: the keys of one workspace, oldest first. */
export const listByokKeys = operation<ByokParts>()({
  query: byokListQuerySchema,
  response: byokKeyListSchema,
  async run({ parts, query }) {
    const { workspace_id: workspace = DEFAULT_WORKSPACE_ID, provider } = query;
    const rows = await parts.store.byokKeys.list();
    const found = rows.filter(
      (row) => row.workspace_id === workspace && (provider === undefined || row.provider === provider),
    );
    return toPage(found.map(toBody), query);
  },
});

/** `POST /byok`: calls of the workspace use the key from then on. It is sealed, and never shown again. */
export const createByokKey = operation<ByokParts>()({
  body: createByokKeyRequestSchema,
  response: byokKeyResponseSchema,
  status: 201,
  errors: ['conflict'],
  find: ({ parts }) => requireLiveSetup(parts.liveSetup),
  async run({ parts, body: { provider, key, workspace_id: workspace, ...given }, found: setup }) {
    const { platform, store } = parts;
    if (parts.providers.every(({ slug }) => slug !== provider)) {
      throw refuseField('provider', `there is no provider "${provider}" here`);
    }
    await refuseUnknownHashes(given, parts);
    const id = createUuid(platform);
    const row: ByokKeyRecord = {
      id,
      provider,
      label: toKeyHint(key),
      name: given.name ?? null,
      disabled: given.disabled ?? false,
      is_fallback: given.is_fallback ?? false,
      is_required: given.is_required ?? false,
      is_byok_only: given.is_byok_only ?? false,
      declared_zdr: null,
      sort_order: 0,
      allowed_models: given.allowed_models ?? null,
      allowed_api_key_hashes: given.allowed_api_key_hashes ?? null,
      allowed_user_ids: given.allowed_user_ids ?? null,
      workspace_id: await chooseWorkspaceId(workspace, parts),
      created_at: new Date(platform.now()).toISOString(),
      sealed: '',
      server: '',
    };
    refuseContradiction(row);
    const saved = await seal(key, row, setup);
    const made = await store.byokKeys.update(id, withOrder, { ...row, ...saved });
    return { data: toBody(made ?? row) };
  },
});

/** The last place among the keys of its provider in its workspace. */
function withOrder(row: ByokKeyRecord, rows: readonly ByokKeyRecord[]): ByokKeyRecord {
  if (rows.length >= MAX_KEYS) {
    throw new GatewayError('conflict', `There are ${MAX_KEYS} keys already; delete one first`);
  }
  const orders = rows.flatMap((other) =>
    other.provider === row.provider && other.workspace_id === row.workspace_id ? [other.sort_order] : [],
  );
  return { ...row, sort_order: Math.max(-1, ...orders) + 1 };
}

/** `GET /byok/{id}` */
export const getByokKey = operation<ByokParts>()({
  params: ['id'],
  response: byokKeyResponseSchema,
  async run({ params: { id }, parts }) {
    return { data: toBody(await findKey(id, parts)) };
  },
});

/** `PATCH /byok/{id}`: what is absent stays, and null takes a restriction away. A `key` takes the place of the saved one. */
export const updateByokKey = operation<ByokParts>()({
  params: ['id'],
  body: updateByokKeyRequestSchema,
  response: byokKeyResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => findKey(params.id, parts),
  async run({ parts, body: { key, ...given }, found }) {
    const { id } = found;
    await refuseUnknownHashes(given, parts);
    const rotated = key === undefined ? {} : await seal(key, found, requireLiveSetup(parts.liveSetup));
    const updated = await parts.store.byokKeys.update(id, (row) => {
      const next: ByokKeyRecord = { ...row, ...givenFields(given), ...rotated };
      refuseContradiction(next);
      return next;
    });
    if (updated === undefined) throw noKey(id);
    return { data: toBody(updated) };
  },
});

/** Seals a key for the server that its provider is at now. Throws `invalid_request` where the provider takes none. */
async function seal(key: string, { id, provider }: ByokKey, setup: LiveSetup) {
  const keyed = await setup.connectWithKey(provider, key);
  if (keyed === null) {
    throw refuseField('provider', `"${provider}" takes no keys of callers: it has a module or an identity of its own`);
  }
  const sealed = await setup.host.secrets.seal(key, byokContextOf(id));
  return { label: toKeyHint(key), sealed, server: keyed.server };
}

/** `DELETE /byok/{id}`: the sealed key is gone with it. Calls that have begun end with it. */
export const deleteByokKey = operation<ByokParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    if (!(await parts.store.byokKeys.remove(id))) throw noKey(id);
    return { deleted: true };
  },
});

const toBody = ({ sealed: _sealed, server: _server, ...key }: ByokKeyRecord): ByokKey => key;

async function findKey(id: string, { store }: ByokParts): Promise<ByokKeyRecord> {
  const row = await store.byokKeys.get(id);
  if (row === undefined) throw noKey(id);
  return row;
}

const noKey = (id: string): GatewayError =>
  new GatewayError('not_found', `There is no provider key ${JSON.stringify(id.slice(0, 100))}`);

function refuseContradiction({ is_byok_only: isOnly, is_fallback: isFallback }: ByokKey): void {
  if (isOnly && isFallback) {
    throw refuseField('is_byok_only', 'cannot be combined with is_fallback: there is nothing to fall back from');
  }
}

async function refuseUnknownHashes(
  { allowed_api_key_hashes: hashes }: Pick<UpdateByokKeyRequest, 'allowed_api_key_hashes'>,
  { store, configuredKeys }: ByokParts,
): Promise<void> {
  if (hashes == null) return;
  const configured = await configuredKeys();
  for (const [at, hash] of hashes.entries()) {
    if (configured.has(hash) || (await store.keys.get(hash)) !== undefined) continue;
    throw refuseField(`allowed_api_key_hashes.${at}`, 'there is no key with this hash');
  }
}
