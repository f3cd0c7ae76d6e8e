import { defaultGuardrailName, workspaceIdOfDefault } from '../account/account.ts';
import { chooseWorkspaceId, findWorkspace } from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID, type FindKeyNames, type MemberDirectory } from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import {
  changeGuardrail,
  refuseBadPatterns,
  refuseUnknownInLists,
  toNewGuardrail,
} from '../guardrails/change-guardrail.ts';
import { type GuardrailHits, listHitDays, sumHits } from '../guardrails/hits.ts';
import { findGuardrail, noGuardrail } from '../guardrails/policy.ts';
import { operation } from '../http/operation.ts';
import type { GuardrailHitsRow } from '../stores/rows.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField, toOpenEnd, toPage, workspacePageQuerySchema } from '../wire/fields.ts';
import {
  createGuardrailRequestSchema,
  type Guardrail,
  type GuardrailHitList,
  guardrailHitListSchema,
  guardrailHitsQuerySchema,
  guardrailListSchema,
  guardrailResponseSchema,
  updateGuardrailRequestSchema,
} from '../wire/guardrails.ts';

export interface GuardrailParts {
  readonly platform: Platform;
  readonly store: Pick<
    Store,
    'generations' | 'guardrailHits' | 'guardrails' | 'keyAssignments' | 'keys' | 'memberAssignments' | 'workspaces'
  >;
  readonly catalog: Catalog;
  /** The store's own, unless the host has its own. */
  readonly members: MemberDirectory;
  readonly findKeyNames: FindKeyNames;
  readonly guardrailHits: Pick<GuardrailHits, 'save'>;
}

/** `GET /guardrails`: those of one workspace. */
export const listGuardrails = operation<GuardrailParts>()({
  query: workspacePageQuerySchema,
  response: guardrailListSchema,
  async run({ parts, query }) {
    const wanted = query.workspace_id ?? DEFAULT_WORKSPACE_ID;
    const found = (await parts.store.guardrails.list()).filter(({ workspace_id: id }) => id === wanted);
    return toPage(found, query);
  },
});

/** `POST /guardrails`: a new guardrail applies to no key and no member until it is assigned. */
export const createGuardrail = operation<GuardrailParts>()({
  body: createGuardrailRequestSchema,
  response: guardrailResponseSchema,
  status: 201,
  async run({ parts, body: { workspace_id: workspace, ...body } }) {
    refuseUnknownInLists(body, undefined, parts.catalog);
    await refuseBadPatterns(body);
    const empty = toNewGuardrail({
      id: createUuid(parts.platform),
      name: body.name,
      workspace_id: await chooseWorkspaceId(workspace, parts),
      created_at: new Date(parts.platform.now()).toISOString(),
    });
    const guardrail = changeGuardrail(empty, body, parts.catalog);
    await parts.store.guardrails.insert(guardrail);
    return { data: guardrail };
  },
});

/** `GET /guardrails/{id}` */
export const getGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  response: guardrailResponseSchema,
  async run({ params, parts }) {
    return { data: await findGuardrail(params.id, parts) };
  },
});

/** `PATCH /guardrails/{id}`. Creates the default guardrail of a workspace on its first change; its name is fixed. */
export const updateGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  body: updateGuardrailRequestSchema,
  response: guardrailResponseSchema,
  async find({ params, parts }) {
    const initial = await beginDefault(params.id, parts);
    const before =
      initial === undefined ? await findGuardrail(params.id, parts) : await parts.store.guardrails.get(params.id);
    return { initial, before };
  },
  async run({ params: { id }, parts, body, found: { initial, before } }) {
    if (initial !== undefined && body.name !== undefined && body.name !== initial.name) {
      throw refuseField('name', `the default guardrail of a workspace is always "${initial.name}"`);
    }
    refuseUnknownInLists(body, before, parts.catalog);
    await refuseBadPatterns(body);
    const updatedAt = new Date(parts.platform.now()).toISOString();
    const updated = await parts.store.guardrails.update(
      id,
      (guardrail) => ({
        ...changeGuardrail(guardrail, body, parts.catalog),
        updated_at: guardrail === initial ? null : updatedAt,
      }),
      initial,
    );
    if (updated === undefined) throw noGuardrail(id);
    return { data: updated };
  },
});

/** Returns the initial state of a default guardrail; undefined when the id belongs to none. */
async function beginDefault(id: string, parts: GuardrailParts): Promise<Guardrail | undefined> {
  const workspaceId = workspaceIdOfDefault(id);
  if (workspaceId === undefined) return undefined;
  const workspace = await findWorkspace(workspaceId, parts).catch(() => undefined);
  return (
    workspace &&
    toNewGuardrail({
      id,
      name: defaultGuardrailName(workspaceId),
      workspace_id: workspaceId,
      created_at: new Date(parts.platform.now()).toISOString(),
    })
  );
}

/** `DELETE /guardrails/{id}`: deletes its assignments too; it no longer applies from the next request on. */
export const deleteGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    if (!(await parts.store.guardrails.remove(id))) throw noGuardrail(id);
    return { deleted: true };
  },
});

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_UP_TO_MS = 3 * DAY_MS;
const MAX_BUCKETS = 800;
const MAX_REFUSALS = 50;

/** `GET /admin/v1/guardrails/hits`: how often guardrails acted, in hours or days of UTC. */
export const listGuardrailHits = operation<GuardrailParts>()({
  query: guardrailHitsQuerySchema,
  response: guardrailHitListSchema,
  async run({
    parts,
    query: { guardrail, by, from, to = toOpenEnd(parts.platform.now(), from) },
  }): Promise<GuardrailHitList> {
    const begin = from ?? to - DAY_MS;
    if (begin >= to) throw refuseField('from', 'must be before to');
    const bucketMs = (by ?? (to - begin <= HOURS_UP_TO_MS ? 'hour' : 'day')) === 'hour' ? HOUR_MS : DAY_MS;
    const startMs = Math.floor(begin / bucketMs) * bucketMs;
    const buckets = Math.ceil((to - startMs) / bucketMs);
    if (buckets > MAX_BUCKETS) throw refuseField('from', `must leave at most ${MAX_BUCKETS} hours or days until to`);
    await parts.guardrailHits.save();
    const endMs = startMs + buckets * bucketMs;
    const chosen = await listHitDays(parts.store.guardrailHits, {
      from: toDay(startMs),
      to: toDay(endMs - 1),
      guardrailId: guardrail,
    });
    return {
      data: sumHits(chosen, { startMs, bucketMs, buckets, guardrailId: guardrail }),
      from: new Date(startMs).toISOString(),
      to: new Date(endMs).toISOString(),
      bucket_ms: bucketMs,
      ...(guardrail !== undefined && { refusals: await listRefusals(chosen, { startMs, endMs }, parts.findKeyNames) }),
    };
  },
});

const toDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

async function listRefusals(
  rows: readonly GuardrailHitsRow[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  findKeyNames: FindKeyNames,
): Promise<NonNullable<GuardrailHitList['refusals']>> {
  const refusals = rows
    .flatMap((row) => row.refusals)
    .filter(({ at }) => at >= startMs && at < endMs)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_REFUSALS);
  const ids = refusals.flatMap(({ principalId }) => (principalId === null ? [] : [principalId]));
  const names = await findKeyNames(new Set(ids));
  return refusals.map(({ at, effect, rule, principalId, model }) => ({
    at: new Date(at).toISOString(),
    effect,
    rule,
    key_hash: principalId,
    key_name: names[principalId ?? ''] ?? null,
    model,
  }));
}
