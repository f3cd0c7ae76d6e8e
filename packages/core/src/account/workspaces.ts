import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import { workspaceNamed } from '../auth/memberships.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Principal } from '../http/request.ts';
import type { WorkspaceRecord, Store } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import type { Workspace } from '../wire/workspaces.ts';
import { defaultGuardrailIdOf, type LiveAccount, type RoutingDefaults } from './account.ts';

interface WorkspaceParts {
  readonly store: Pick<Store, 'workspaces'>;
}

/** Id of the gateway's only organization, where the wire requires one. */
export const ORGANIZATION_ID = 'org_default';

/** Exists from the beginning, and is stored only once it is changed. */
const DEFAULT_WORKSPACE: WorkspaceRecord = toNewWorkspace({
  id: DEFAULT_WORKSPACE_ID,
  name: 'Default',
  slug: 'default',
  created_at: '1970-01-01T00:00:00.000Z',
  created_by: null,
});

/** A workspace in which nothing has been set yet, and no budgets. */
export function toNewWorkspace(
  workspace: Pick<Workspace, 'id' | 'name' | 'slug' | 'created_at' | 'created_by'> & Partial<Workspace>,
): WorkspaceRecord {
  return {
    id: workspace.id,
    workspace: {
      description: null,
      default_text_model: null,
      default_image_model: null,
      default_provider_sort: null,
      default_callback_url: null,
      disabled_server_tools: null,
      automatic_cache_marks: null,
      is_observability_broadcast_enabled: true,
      is_observability_io_logging_enabled: true,
      io_logging_sampling_rate: 1,
      io_logging_api_key_ids: null,
      is_data_discount_logging_enabled: false,
      include_byok_in_budgets: false,
      updated_at: null,
      ...workspace,
      default_guardrail_id: defaultGuardrailIdOf(workspace.id),
    },
    budgets: [],
  };
}

/** A workspace as callers see it. */
export const toWorkspaceBody = ({ workspace }: WorkspaceRecord): Workspace => ({
  ...workspace,
  default_callback_url: workspace.default_callback_url ?? null,
  disabled_server_tools: workspace.disabled_server_tools ?? null,
  automatic_cache_marks: workspace.automatic_cache_marks ?? null,
});

/** Whether prompts of a workspace are marked for the caches of providers: as it says, else as the account does. */
export const isMarkedForCaches = (
  { routing }: Pick<LiveAccount, 'routing'>,
  workspace: WorkspaceRecord['workspace'] | undefined,
): boolean => workspace?.automatic_cache_marks ?? routing?.automaticCacheMarks ?? false;

/** The account as the calls of a workspace find it, whose defaults come before those of the account. */
export function withWorkspaceDefaults(
  account: LiveAccount,
  workspace: WorkspaceRecord['workspace'] | undefined,
): LiveAccount {
  const { default_text_model: model = null, default_provider_sort: sort = null } = workspace ?? {};
  if (model === null && sort === null) return account;
  return {
    ...account,
    defaultModel: model ?? account.defaultModel,
    ...(sort !== null && {
      routingDefaults: sortedBy(sort, account.routingDefaults),
      writtenDefaults: sortedBy(sort, account.writtenDefaults),
    }),
  };
}

/** An order of the account comes before any sort, and so would leave that of the workspace without effect. */
function sortedBy(
  sort: RoutingDefaults['sort'],
  { order: _order, ...defaults }: RoutingDefaults = {},
): RoutingDefaults {
  return { ...defaults, sort };
}

/** Every workspace, the default one first. */
export async function listWorkspaceRecords({ store }: WorkspaceParts): Promise<readonly WorkspaceRecord[]> {
  return withDefault(await store.workspaces.list());
}

/** The default workspace is there before it is stored. */
function withDefault(stored: readonly WorkspaceRecord[]): readonly WorkspaceRecord[] {
  const changed = stored.find(({ id }) => id === DEFAULT_WORKSPACE_ID);
  return [changed ?? DEFAULT_WORKSPACE, ...stored.filter(({ id }) => id !== DEFAULT_WORKSPACE_ID)];
}

/** A workspace by id or slug. Throws `not_found`. */
export async function findWorkspace(reference: string | undefined, parts: WorkspaceParts): Promise<WorkspaceRecord> {
  const found = workspaceNamed(reference, await listWorkspaceRecords(parts));
  if (found === undefined) throw noWorkspace(reference);
  return found;
}

/** Changes a workspace whose id comes from `findWorkspace`. Throws `not_found` when it has been deleted meanwhile. */
export async function changeWorkspace(
  id: string,
  { store }: WorkspaceParts,
  change: (record: WorkspaceRecord, all: readonly WorkspaceRecord[]) => WorkspaceRecord,
): Promise<WorkspaceRecord> {
  const initial = id === DEFAULT_WORKSPACE_ID ? DEFAULT_WORKSPACE : undefined;
  const changed = await store.workspaces.update(id, change, initial);
  if (changed === undefined) throw noWorkspace(id);
  return changed;
}

/** The workspace without these members; the same row where it has none of them. */
export function withoutMembers(record: WorkspaceRecord, userIds: ReadonlySet<string>): WorkspaceRecord {
  const { members = [] } = record;
  const left = members.filter((membership) => !userIds.has(membership.user_id));
  return left.length === members.length ? record : { ...record, members: left };
}

/** The workspace in which an object is created; the default one if none is given. Throws `invalid_request`. */
export async function chooseWorkspaceId(workspaceId: string | undefined, { store }: WorkspaceParts): Promise<string> {
  if (workspaceId === undefined || workspaceId === DEFAULT_WORKSPACE_ID) return DEFAULT_WORKSPACE_ID;
  if ((await store.workspaces.get(workspaceId)) !== undefined) return workspaceId;
  throw refuseField('workspace_id', `there is no workspace ${workspaceId.slice(0, 100)}`);
}

/**
 * The workspace that a request is about: that of the caller's key, or the one that a management key names. Throws
 * `permission_denied` where another key names another one, and `invalid_request` for one that is not there.
 */
export async function chooseOwnWorkspaceId(
  named: string | undefined,
  { parts, principal }: { readonly parts: WorkspaceParts; readonly principal: Principal },
): Promise<string> {
  const own = principal.workspaceId ?? DEFAULT_WORKSPACE_ID;
  if (named === undefined || named === own) return own;
  if (principal.kind === 'management') return chooseWorkspaceId(named, parts);
  throw new GatewayError('permission_denied', 'The key belongs to another workspace');
}

function noWorkspace(reference: string | undefined): GatewayError {
  return new GatewayError('not_found', `There is no workspace ${(reference ?? '').slice(0, 100)}`);
}

/** Throws `invalid_request` when another one of the stored workspaces has the slug, or has it for its id. */
export function refuseTakenSlug(slug: string, stored: readonly WorkspaceRecord[], ownId?: string): void {
  const isFree = withDefault(stored).every(
    ({ id, workspace }) => id === ownId || (workspace.slug !== slug && id !== slug),
  );
  if (isFree) return;
  throw refuseField('slug', `there is a workspace ${slug} already`);
}
