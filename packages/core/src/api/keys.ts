import { insertKey } from '../account/members.ts';
import { chooseWorkspaceId, ORGANIZATION_ID } from '../account/workspaces.ts';
import { type ConfiguredKey, type ConfiguredKeys, toKeyPrincipal } from '../auth/authenticate.ts';
import { createKeyRecord, DEFAULT_WORKSPACE_ID, findKey, type MemberDirectory, noKey } from '../auth/keys.ts';
import type { Refusals } from '../auth/refusals.ts';
import { type EndpointParts, modelsWith, toUsableEndpoints } from '../dispatch/usable-endpoints.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { LayersOf } from '../guardrails/policy.ts';
import { operation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import { findRaise, readKeyUsage } from '../limits/budgets.ts';
import type { Store } from '../stores/store.ts';
import type { KeyRecord } from '../stores/table-schemas.ts';
import { DATA_REGIONS, deletedSchema, pageQuerySchema, toPage } from '../wire/fields.ts';
import {
  type AnyKey,
  anyKeyListSchema,
  createdKeySchema,
  createKeyRequestSchema,
  currentKeyResponseSchema,
  type KeyBody,
  keyDetailResponseSchema,
  keyListQuerySchema,
  keyListSchema,
  keyResponseSchema,
  refusalListSchema,
  refusalQuerySchema,
  updateKeyRequestSchema,
} from '../wire/keys.ts';
import type { BudgetRaise } from '../wire/limits.ts';
import { creatorOf, kindOf, refuseBeyondLimits, refuseKeyIn, refuseReviving, refuseWidening } from './member-keys.ts';
import type { MemberReach } from './member-view.ts';

interface KeyParts {
  readonly platform: Platform;
  readonly refusals: Refusals;
  readonly store: Pick<Store, 'generations' | 'keys' | 'members' | 'settings' | 'workspaces'>;
  readonly layersOf: LayersOf;
  readonly members: MemberDirectory;
  readonly reach?: MemberReach | undefined;
}

/** What it takes to show the keys of the configuration, too, and what holds for a key. */
export interface AnyKeyParts extends KeyParts, EndpointParts {
  readonly platform: Platform;
  readonly configuredKeys: ConfiguredKeys;
}

/** A key that was made here, as the gateway's own list shows it. */
async function toAnyKeyBody(record: KeyRecord, parts: KeyParts): Promise<AnyKey> {
  const raise = raiseOfKey(record.hash, parts);
  return {
    ...(await toKeyBody(record, parts)),
    source: 'stored',
    limit_raise: raise === undefined ? null : { add_usd: raise.add_usd, until: raise.until },
  };
}

/** A key of the configuration. It has neither limit nor end, and its label is its name: its text may be short. */
async function toConfiguredKeyBody(hash: string, { kind, name }: ConfiguredKey, parts: KeyParts): Promise<AnyKey> {
  const record: KeyRecord = {
    hash,
    kind,
    name,
    label: name,
    disabled: false,
    limitUsd: null,
    limitReset: null,
    includeByokInLimit: false,
    creatorUserId: null,
    workspaceId: DEFAULT_WORKSPACE_ID,
    createdAt: '',
    updatedAt: null,
    expiresAt: null,
  };
  return { ...(await toKeyBody(record, parts)), source: 'config', created_at: null, limit_raise: null };
}

const raiseOfKey = (hash: string, { store, platform }: KeyParts): BudgetRaise | undefined =>
  findRaise(store.settings.get().budget_raises, `key:${hash}`, platform.now());

/** A limit as it is at the moment. */
function withRaise<Limit extends { readonly limitUsd: number | null }>(
  hash: string,
  limit: Limit,
  parts: KeyParts,
): Limit {
  const raise = raiseOfKey(hash, parts);
  return raise === undefined || limit.limitUsd === null
    ? limit
    : { ...limit, limitUsd: limit.limitUsd + raise.add_usd };
}

/** A key as the wire shows it, with what it has spent by now. */
async function toKeyBody(record: KeyRecord, parts: KeyParts): Promise<KeyBody> {
  const { usage, remainingUsd } = await readKeyUsage(record.hash, withRaise(record.hash, record, parts), parts);
  return {
    hash: record.hash,
    name: record.name,
    label: record.label,
    disabled: record.disabled,
    limit: record.limitUsd,
    limit_remaining: remainingUsd,
    limit_reset: record.limitReset,
    include_byok_in_limit: record.includeByokInLimit,
    ...usage,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    expires_at: record.expiresAt,
    creator_user_id: record.creatorUserId,
    workspace_id: record.workspaceId,
    external_user: record.externalUser ?? null,
    management: record.kind === 'management',
  };
}

/** Free models are not counted here. The wire requires figures, and these show that nothing is used up. */
const FREE_REQUESTS = { limit: 1_000_000, remaining: 1_000_000, used: 0 };
const RATE_LIMIT = { interval: '10s', note: 'For older clients only; see the rate limit headers', requests: -1 };

/** `GET /key`: what the caller's own key may do. Keys of the configuration have neither limit nor end. */
export const getCurrentKey = operation<KeyParts>()({
  response: currentKeyResponseSchema,
  async run({ principal, parts }) {
    const record = await parts.store.keys.get(principal.id);
    const limit = record ?? {
      limitUsd: principal.limitUsd ?? null,
      limitReset: principal.limitReset ?? null,
      includeByokInLimit: principal.includeByokInLimit ?? false,
    };
    const { usage, remainingUsd } = await readKeyUsage(principal.id, withRaise(principal.id, limit, parts), parts);
    const layers = await parts.layersOf(principal);
    const isManagement = principal.kind === 'management';
    return {
      data: {
        label: record?.label ?? principal.name,
        limit: limit.limitUsd,
        limit_remaining: remainingUsd,
        limit_reset: limit.limitReset,
        include_byok_in_limit: limit.includeByokInLimit,
        ...usage,
        expires_at: record?.expiresAt ?? null,
        creator_user_id: principal.userId ?? null,
        workspace_id: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
        organization_id: ORGANIZATION_ID,
        allowed_data_regions: DATA_REGIONS.filter((region) =>
          layers.every(
            ({ guardrail: { allowed_data_regions: allowed } }) => allowed === null || allowed.includes(region),
          ),
        ),
        free_model_daily_requests: FREE_REQUESTS,
        is_free_tier: false,
        is_management_key: isManagement,
        is_provisioning_key: isManagement,
        rate_limit: RATE_LIMIT,
      },
    };
  },
});

/** `GET /keys`: the keys of one workspace, disabled ones only on request. */
export const listKeys = operation<KeyParts>()({
  query: keyListQuerySchema,
  response: keyListSchema,
  async run({ parts, query }) {
    const { include_disabled: includeDisabled, workspace_id: wanted = DEFAULT_WORKSPACE_ID } = query;
    const found = (await parts.store.keys.list()).filter(
      ({ disabled, workspaceId }) => workspaceId === wanted && (includeDisabled === 'true' || !disabled),
    );
    const page = toPage(found, query);
    const data = await Promise.all(page.data.map((record) => toKeyBody(record, parts)));
    return { ...page, data };
  },
});

/** `POST /keys`: the only response that shows the key itself. */
export const createKey = operation<KeyParts>()({
  body: createKeyRequestSchema,
  response: createdKeySchema,
  status: 201,
  errors: ['conflict'],
  async run({ principal, parts, body }) {
    const workspaceId = await chooseWorkspaceId(body.workspace_id, parts);
    refuseKeyIn(workspaceId, principal);
    const { key, record } = await createKeyRecord({
      platform: parts.platform,
      name: body.name,
      kind: kindOf(body, principal),
      limitUsd: body.limit ?? null,
      limitReset: body.limit_reset,
      includeByokInLimit: body.include_byok_in_limit,
      workspaceId,
      expiresAt: body.expires_at,
      creatorUserId: await creatorOf(body, { workspaceId, principal }, parts),
      externalUser: body.external?.user,
    });
    await insertKey(record, parts);
    return { data: await toKeyBody(record, parts), key };
  },
});

/** `GET /keys/{hash}` */
export const getKey = operation<KeyParts>()({
  params: ['hash'],
  response: keyResponseSchema,
  async run({ params, parts }) {
    return { data: await toKeyBody(await findKey(params.hash, parts), parts) };
  },
});

/** `PATCH /keys/{hash}`: the change applies from the next request on. */
export const updateKey = operation<KeyParts>()({
  params: ['hash'],
  body: updateKeyRequestSchema,
  response: keyResponseSchema,
  find: ({ params, parts }) => findKey(params.hash, parts),
  async run({ found: { hash }, principal, parts, body }) {
    const { reach } = parts;
    const updated = await parts.store.keys.update(hash, (record) => {
      const { disabledWithMember, ...kept } = record;
      const changed: KeyRecord = {
        ...kept,
        // What somebody has decided by hand does not change with the member any more.
        ...(disabledWithMember !== undefined && body.disabled === undefined && { disabledWithMember }),
        name: body.name ?? record.name,
        disabled: body.disabled ?? record.disabled,
        limitUsd: body.limit === undefined ? record.limitUsd : body.limit,
        limitReset: body.limit_reset === undefined ? record.limitReset : body.limit_reset,
        includeByokInLimit: body.include_byok_in_limit ?? record.includeByokInLimit,
        expiresAt: body.expires_at === undefined ? record.expiresAt : body.expires_at,
        updatedAt: new Date(parts.platform.now()).toISOString(),
      };
      refuseReviving(record, changed, principal);
      if (principal.member?.role === 'billing') refuseBeyondLimits(record, changed);
      if (reach !== undefined && !reach.workspaceIds.has(record.workspaceId)) refuseWidening(record, changed);
      return changed;
    });
    if (updated === undefined) throw noKey(hash);
    return { data: await toKeyBody(updated, parts) };
  },
});

/** `DELETE /keys/{hash}`: the key is refused from the next request on; what it has begun goes on. */
export const deleteKey = operation<KeyParts>()({
  params: ['hash'],
  response: deletedSchema,
  async run({ params: { hash }, parts }) {
    if (!(await parts.store.keys.remove(hash))) throw noKey(hash);
    return { deleted: true };
  },
});

/** `GET /admin/v1/refusals`: requests of tools that were refused since the start, and why. */
export const listRefusals = operation<KeyParts>()({
  query: refusalQuerySchema,
  response: refusalListSchema,
  async run({ parts, query: { key, model: wanted, since = 0 } }) {
    const found = parts.refusals
      .list()
      .filter(({ atMs, principalId: id }) => atMs >= since && (key === undefined || id === null || id === key))
      .filter(({ model }) => wanted === undefined || model === wanted);
    return {
      data: found.map(({ atMs, method, path, error, principalId, userAgent, model }) => ({
        at: new Date(atMs).toISOString(),
        method,
        path,
        status: error.status,
        error_type: error.errorType,
        message: error.message,
        key_hash: principalId,
        user_agent: userAgent,
        model,
      })),
    };
  },
});

/**
 * `GET /admin/v1/keys`: all keys of all workspaces, disabled ones and those of the configuration included, which come
 * first. `GET /keys`, which clients of the public API read, has those alone that it can also change.
 */
export const listAllKeys = operation<AnyKeyParts>()({
  query: pageQuerySchema,
  response: anyKeyListSchema,
  async run({ parts, query }) {
    const configured = await parts.configuredKeys();
    // The configuration decides about its keys.
    const stored = (await parts.store.keys.list()).filter(({ hash }) => !configured.has(hash));
    const page = toPage([...configured, ...stored], query);
    const data = await Promise.all(
      page.data.map((row) => ('hash' in row ? toAnyKeyBody(row, parts) : toConfiguredKeyBody(...row, parts))),
    );
    return { ...page, data };
  },
});

/** `GET /admin/v1/keys/{hash}`: any key, with the guardrails that hold for it and the models that it may call. */
export const getKeyDetail = operation<AnyKeyParts>()({
  params: ['hash'],
  response: keyDetailResponseSchema,
  async run({ params: { hash }, parts }) {
    const { body, principal } = await findAnyKey(hash, parts);
    const layers = await parts.layersOf(principal);
    return {
      data: {
        ...body,
        guardrails: layers.map(({ scope, guardrail: { id, name } }) => ({ scope, id, name })),
        allowed_models: await findAllowedModels(principal, parts),
      },
    };
  },
});

async function findAnyKey(hash: string, parts: AnyKeyParts): Promise<{ body: AnyKey; principal: Principal }> {
  const configured = (await parts.configuredKeys()).get(hash);
  if (configured !== undefined) {
    return {
      body: await toConfiguredKeyBody(hash, configured, parts),
      principal: { kind: configured.kind, id: hash, name: configured.name },
    };
  }
  const record = await findKey(hash, parts);
  return { body: await toAnyKeyBody(record, parts), principal: toKeyPrincipal(record) };
}

async function findAllowedModels(principal: Principal, parts: AnyKeyParts): Promise<string[]> {
  if (principal.kind !== 'api') return [];
  try {
    const policy = await parts.policyOf(principal);
    return modelsWith(toUsableEndpoints({ policy, region: null }, parts), parts).map(({ id }) => id);
  } catch (error) {
    // A guardrail that cannot be applied refuses every call of the key.
    if (error instanceof GatewayError && error.code === 'permission_denied') return [];
    throw error;
  }
}
