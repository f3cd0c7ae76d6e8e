import {
  changeWorkspace,
  findWorkspace,
  listWorkspaceRecords,
  refuseTakenSlug,
  toNewWorkspace,
  toWorkspaceBody,
} from '../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { describeUnknownName } from '../catalog/refuse-unknown-names.ts';
import { refuseUnknownTools, type ServerTool } from '../chat/stages/server-tools/server-tool.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { intervalOf, putBudget, readInterval } from '../limits/budgets.ts';
import { isModelName } from '../routing/resolve-models.ts';
import { listFilesOf } from '../stores/files.ts';
import type { KeyRecord, Store } from '../stores/store.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';
import { deletedSchema, givenFields, pageQuerySchema, refuseField, toPage } from '../wire/fields.ts';
import {
  budgetListSchema,
  budgetResponseSchema,
  createWorkspaceRequestSchema,
  putBudgetRequestSchema,
  updateWorkspaceRequestSchema,
  type Workspace,
  workspaceListSchema,
  workspaceResponseSchema,
} from '../wire/workspaces.ts';
import { refuseCallbackUrl } from './webhooks.ts';

export interface WorkspaceParts {
  readonly platform: Platform;
  readonly catalog: Catalog;
  /** The embedder's own. */
  readonly serverTools: readonly ServerTool[];
  readonly store: Pick<
    Store,
    'byokKeys' | 'destinations' | 'files' | 'guardrails' | 'keys' | 'presets' | 'scimGroups' | 'workspaces'
  >;
  /** Undefined: no webhooks are sent. */
  readonly webhooks: WebhookOptions | undefined;
}

type Field = 'default_callback_url' | 'default_text_model' | 'disabled_server_tools';
type Change = { readonly [Name in Field]?: Workspace[Name] | undefined };

/**
 * Throws `invalid_request` for settings of a workspace that could never have an effect: an address that is not called, a
 * model that is unknown, a server tool that does not exist. What stands there already may stay.
 */
function refuseWithoutEffect(change: Change, before: Change | undefined, parts: WorkspaceParts): void {
  refuseCallbackUrl('default_callback_url', change.default_callback_url, parts.webhooks);
  const { default_text_model: model, disabled_server_tools: tools } = change;
  if (model != null && model !== before?.default_text_model && !isModelName(model, parts.catalog)) {
    throw refuseField('default_text_model', describeUnknownName(model, 'models', parts.catalog));
  }
  const added = (name: string): boolean => before?.disabled_server_tools?.includes(name) !== true;
  refuseUnknownTools('disabled_server_tools', tools ?? [], { serverTools: parts.serverTools, isChecked: added });
}

/** `GET /workspaces`: the default one first. */
export const listWorkspaces = operation<WorkspaceParts>()({
  query: pageQuerySchema,
  response: workspaceListSchema,
  async run({ parts, query }) {
    const records = await listWorkspaceRecords(parts);
    return toPage(records.map(toWorkspaceBody), query);
  },
});

/** `POST /workspaces` */
export const createWorkspace = operation<WorkspaceParts>()({
  body: createWorkspaceRequestSchema,
  response: workspaceResponseSchema,
  status: 201,
  async run({ principal, parts, body }) {
    refuseWithoutEffect(body, undefined, parts);
    const record = toNewWorkspace({
      ...givenFields(body),
      name: body.name,
      slug: body.slug,
      id: createUuid(parts.platform),
      created_at: new Date(parts.platform.now()).toISOString(),
      created_by: principal.userId ?? null,
    });
    await parts.store.workspaces.insert(record, (stored) => refuseTakenSlug(body.slug, stored));
    return { data: toWorkspaceBody(record) };
  },
});

/** `GET /workspaces/{id}`, by id or slug. */
export const getWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  response: workspaceResponseSchema,
  async run({ params, parts }) {
    return { data: toWorkspaceBody(await findWorkspace(params.id, parts)) };
  },
});

/** `PATCH /workspaces/{id}`, by id or slug. */
export const updateWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  body: updateWorkspaceRequestSchema,
  response: workspaceResponseSchema,
  find: ({ params, parts }) => findWorkspace(params.id, parts),
  async run({ found: { id, workspace }, parts, body }) {
    refuseWithoutEffect(body, workspace, parts);
    const updatedAt = new Date(parts.platform.now()).toISOString();
    const changed = await changeWorkspace(id, parts, (record, stored) => {
      if (body.slug !== undefined) refuseTakenSlug(body.slug, stored, id);
      return { ...record, workspace: { ...record.workspace, ...givenFields(body), updated_at: updatedAt } };
    });
    return { data: toWorkspaceBody(changed) };
  },
});

/** `DELETE /workspaces/{id}`, by id or slug, once it has no keys. Deletes all that nobody could reach without it. */
export const deleteWorkspace = operation<WorkspaceParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params, parts }) {
    const { store } = parts;
    const { id } = await findWorkspace(params.id, parts);
    if (id === DEFAULT_WORKSPACE_ID) {
      throw new GatewayError('invalid_request', 'The default workspace cannot be deleted');
    }
    const keys = await listKeysOf(id, store);
    if (keys.length > 0) {
      throw new GatewayError('invalid_request', `The workspace has ${keys.length} keys; delete them first`);
    }
    await removePartsOf(id, store);
    await store.workspaces.remove(id);
    // A key that was made meanwhile would call without the rules of any workspace.
    for (const { hash } of await listKeysOf(id, store)) await store.keys.remove(hash);
    return { deleted: true };
  },
});

const listKeysOf = async (id: string, store: Pick<Store, 'keys'>): Promise<readonly KeyRecord[]> =>
  (await store.keys.list()).filter(({ workspaceId }) => workspaceId === id);

/** The contents of its files go with the next sweep of their storage. */
async function removePartsOf(id: string, store: WorkspaceParts['store']): Promise<void> {
  for (const guardrail of await store.guardrails.list()) {
    if (guardrail.workspace_id === id) await store.guardrails.remove(guardrail.id);
  }
  for (const destination of await store.destinations.list()) {
    if (destination.workspace_id === id) await store.destinations.remove(destination.id);
  }
  for (const key of await store.byokKeys.list()) {
    if (key.workspace_id === id) await store.byokKeys.remove(key.id);
  }
  for (const preset of await store.presets.list()) {
    if (preset.workspaceId === id) await store.presets.remove(preset.id);
  }
  for (const file of await listFilesOf(id, store.files)) await store.files.remove(file.id);
  for (const { id: groupId, mappings } of await store.scimGroups.list()) {
    if (mappings.every(({ workspaceId }) => workspaceId !== id)) continue;
    await store.scimGroups.update(groupId, (group) => ({
      ...group,
      mappings: group.mappings.filter(({ workspaceId }) => workspaceId !== id),
    }));
  }
}

/** `GET /workspaces/{id}/budgets` */
export const listWorkspaceBudgets = operation<WorkspaceParts>()({
  params: ['id'],
  response: budgetListSchema,
  async run({ params, parts }) {
    const { budgets, workspace } = await findWorkspace(params.id, parts);
    return { data: budgets, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});

/** `GET /workspaces/{id}/budgets/{interval}` */
export const getWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  response: budgetResponseSchema,
  async run({ params, parts }) {
    const { budgets, workspace } = await findWorkspace(params.id, parts);
    const interval = readInterval(params.interval);
    const budget = budgets.find((other) => intervalOf(other) === interval);
    if (budget === undefined) throw new GatewayError('not_found', `The workspace has no ${interval} budget`);
    return { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});

/** `PUT /workspaces/{id}/budgets/{interval}`: limits must fall as the interval narrows. */
export const putWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  body: putBudgetRequestSchema,
  response: budgetResponseSchema,
  async find({ params, parts }) {
    const { id } = await findWorkspace(params.id, parts);
    return { id, interval: readInterval(params.interval) };
  },
  async run({ found: { id, interval }, parts, body }) {
    const now = new Date(parts.platform.now()).toISOString();
    const fresh = {
      id: createUuid(parts.platform),
      workspace_id: id,
      limit_usd: body.limit_usd,
      reset_interval: interval === 'lifetime' ? null : interval,
      created_at: now,
      updated_at: now,
    };
    const { budgets, workspace } = await changeWorkspace(id, parts, (record) => ({
      ...record,
      workspace: {
        ...record.workspace,
        include_byok_in_budgets: body.include_byok_in_budgets ?? record.workspace.include_byok_in_budgets,
      },
      budgets: putBudget(record.budgets, fresh),
    }));
    // It has the id and time of the budget that it replaces.
    const budget = budgets.find((other) => intervalOf(other) === interval) ?? fresh;
    return { data: budget, include_byok_in_budgets: workspace.include_byok_in_budgets };
  },
});

/** `DELETE /workspaces/{id}/budgets/{interval}`: the same response when there was none. */
export const deleteWorkspaceBudget = operation<WorkspaceParts>()({
  params: ['id', 'interval'],
  response: deletedSchema,
  async run({ params, parts }) {
    const { id } = await findWorkspace(params.id, parts);
    const interval = readInterval(params.interval);
    await changeWorkspace(id, parts, (record) => ({
      ...record,
      budgets: record.budgets.filter((budget) => intervalOf(budget) !== interval),
    }));
    return { deleted: true };
  },
});
