import { chooseOwnWorkspaceId } from '../account/workspaces.ts';
import type { Format } from '../chat/format.ts';
import { toPresetContents } from '../chat/presets/to-preset-contents.ts';
import { chatCompletionsFormat } from '../formats/chat-completions/chat-completions-format.ts';
import { messagesFormat } from '../formats/messages/messages-format.ts';
import { responsesFormat } from '../formats/responses/responses-format.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation } from '../http/operation.ts';
import type { RequestContext } from '../http/request.ts';
import { toJsonResponse } from '../http/response.ts';
import { presetRowId, type StoredPreset, toPresetWithVersion } from '../stores/presets.ts';
import type { Store } from '../stores/store.ts';
import { chatCompletionRequestSchema } from '../wire/chat-request.ts';
import { deletedSchema, refuseField, toPage } from '../wire/fields.ts';
import { documentedMessagesRequestSchema } from '../wire/messages.ts';
import {
  type Preset,
  presetListQuerySchema,
  presetListSchema,
  presetQuerySchema,
  presetResponseSchema,
  type PresetVersion,
  presetVersionListSchema,
  presetVersionResponseSchema,
  updatePresetRequestSchema,
} from '../wire/presets.ts';
import { documentedResponsesRequestSchema } from '../wire/responses.ts';
import { isPresetSlug } from '../wire/values.ts';

export interface PresetParts {
  readonly store: Pick<Store, 'presets' | 'workspaces'>;
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
}

type Asking = Pick<RequestContext<PresetParts>, 'parts' | 'principal'>;

/** They are for people, and a store may have all of them in memory. */
const MAX_PRESETS = 1000;
const MAX_VERSIONS = 500;
/** Characters of JSON. A preset is read and written as one row. */
const MAX_VERSION_SIZE = 400_000;
const MAX_PRESET_SIZE = 4_000_000;

/** `GET /presets`: the presets of the workspace, the last changed first. */
export const listPresets = operation<PresetParts>()({
  query: presetListQuerySchema,
  response: presetListSchema,
  async run({ parts, principal, query }) {
    const workspaceId = await chooseOwnWorkspaceId(query.workspace_id, { parts, principal });
    const heads = await listHeads(workspaceId, parts);
    return toPage(heads.toSorted(compareHeads), query);
  },
});

async function listHeads(workspaceId: string, { store: { presets } }: PresetParts): Promise<readonly Preset[]> {
  if (presets.listHeads !== undefined) return presets.listHeads(workspaceId);
  const all = await presets.list();
  return all.flatMap((stored) => (stored.workspaceId === workspaceId ? [stored.preset] : []));
}

const compareHeads = (a: Preset, b: Preset): number =>
  b.updated_at < a.updated_at ? -1 : b.updated_at > a.updated_at ? 1 : a.slug < b.slug ? -1 : 1;

/** `GET /presets/{slug}`: a preset with the version that calls use. */
export const getPreset = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  response: presetResponseSchema,
  async run({ params: { slug }, query, ...asking }) {
    return { data: toPresetWithVersion(await openPreset(slug, query, asking)) };
  },
});

/** `GET /presets/{slug}/versions`: all its versions, oldest first. */
export const listPresetVersions = operation<PresetParts>()({
  params: ['slug'],
  query: presetListQuerySchema,
  response: presetVersionListSchema,
  async run({ params: { slug }, query, ...asking }) {
    const { versions } = await openPreset(slug, query, asking);
    return toPage(versions, query);
  },
});

/** `GET /presets/{slug}/versions/{version}`: one version, by its number. */
export const getPresetVersion = operation<PresetParts>()({
  params: ['slug', 'version'],
  query: presetQuerySchema,
  response: presetVersionResponseSchema,
  async run({ params: { slug, version: wanted }, query, ...asking }) {
    const { versions } = await openPreset(slug, query, asking);
    const found = versions.find(({ version }) => String(version) === wanted);
    if (found !== undefined) return { data: found };
    const message = `The preset ${quote(slug)} has no version ${quote(wanted)}`;
    throw new GatewayError('not_found', message);
  },
});

async function openPreset(
  slug: string,
  query: { readonly workspace_id?: string | undefined },
  { parts, principal }: Asking,
): Promise<StoredPreset> {
  const workspaceId = await chooseOwnWorkspaceId(query.workspace_id, { parts, principal });
  const stored = await parts.store.presets.get(presetRowId(workspaceId, slug));
  if (stored === undefined) throw noPreset(slug);
  return stored;
}

const quote = (name: string): string => JSON.stringify(name.slice(0, 100));

const noPreset = (slug: string): GatewayError => new GatewayError('not_found', `There is no preset ${quote(slug)}`);

/** `POST /presets/{slug}/chat/completions`: saves the settings of a chat request. No model is called. */
export const createPresetFromChat = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  body: { readByRun: chatCompletionRequestSchema.partial({ messages: true }) },
  response: { mediaTypes: { 'application/json': presetResponseSchema } },
  errors: ['conflict'],
  run: (context) => savePreset(chatCompletionsFormat, context),
});

/** `POST /presets/{slug}/messages`: the same with a request in Anthropic's form. */
export const createPresetFromMessages = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  body: { readByRun: documentedMessagesRequestSchema.partial({ messages: true }) },
  response: { mediaTypes: { 'application/json': presetResponseSchema } },
  errors: ['conflict'],
  run: (context) => savePreset(messagesFormat, context),
});

/** `POST /presets/{slug}/responses`: the same with a request in the form of OpenAI's newer API. */
export const createPresetFromResponses = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  body: { readByRun: documentedResponsesRequestSchema },
  response: { mediaTypes: { 'application/json': presetResponseSchema } },
  errors: ['conflict'],
  run: (context) => savePreset(responsesFormat, context),
});

interface Saving extends Pick<RequestContext<PresetParts>, 'request' | 'parts' | 'principal' | 'responseHeaders'> {
  readonly params: { readonly slug: string };
  readonly query: { readonly workspace_id?: string | undefined };
}

/** Makes the preset, or adds a version, which calls use from then on. */
async function savePreset(format: Format, { request, parts, principal, params, query, responseHeaders }: Saving) {
  const { slug } = params;
  if (!isPresetSlug(slug)) {
    throw refuseField('slug', 'must be 1 to 100 letters, digits, dots, dashes, tildes and underscores');
  }
  const contents = toPresetContents(format, await readJsonBody(request));
  const workspaceId = await chooseOwnWorkspaceId(query.workspace_id, { parts, principal });
  const initial = toNewPreset({ slug, workspaceId, principal, parts });
  if ((await parts.store.presets.get(initial.id)) === undefined) await refuseMany(workspaceId, parts);
  const version = { id: createUuid(parts.platform), creator_id: principal.userId ?? principal.id, ...contents };
  const saved = await parts.store.presets.update(initial.id, (stored) => withVersion(stored, version, parts), initial);
  return toJsonResponse(200, { data: toPresetWithVersion(saved ?? initial) }, responseHeaders);
}

interface NewPreset extends Asking {
  readonly slug: string;
  readonly workspaceId: string;
}

function toNewPreset({ slug, workspaceId, principal, parts }: NewPreset): StoredPreset {
  const now = nowOf(parts);
  const preset: Preset = {
    id: createUuid(parts.platform),
    name: slug,
    slug,
    status: 'active',
    description: null,
    creator_user_id: principal.userId ?? null,
    designated_version_id: null,
    status_updated_at: null,
    workspace_id: workspaceId,
    created_at: now,
    updated_at: now,
  };
  return { id: presetRowId(workspaceId, slug), workspaceId, preset, versions: [] };
}

async function refuseMany(workspaceId: string, parts: PresetParts): Promise<void> {
  if ((await listHeads(workspaceId, parts)).length < MAX_PRESETS) return;
  throw new GatewayError('conflict', `There are ${MAX_PRESETS} presets in this workspace already. Delete one first.`);
}

type NewVersion = Pick<PresetVersion, 'id' | 'creator_id' | 'config' | 'system_prompt'>;

function withVersion(stored: StoredPreset, contents: NewVersion, parts: PresetParts): StoredPreset {
  const { preset, versions } = stored;
  const now = nowOf(parts);
  const number = (versions.at(-1)?.version ?? 0) + 1;
  const added = { ...contents, preset_id: preset.id, version: number, created_at: now, updated_at: now };
  if (JSON.stringify(added).length > MAX_VERSION_SIZE) {
    throw refuseField('body', `must have at most ${MAX_VERSION_SIZE} characters without its messages`);
  }
  const next: StoredPreset = {
    ...stored,
    preset: { ...preset, designated_version_id: added.id, updated_at: now },
    versions: [...versions, added],
  };
  const isFull = next.versions.length > MAX_VERSIONS;
  if (isFull || JSON.stringify(next).length > MAX_PRESET_SIZE) {
    const most = isFull ? `${MAX_VERSIONS} versions` : `versions of ${MAX_PRESET_SIZE} characters`;
    throw new GatewayError('conflict', `A preset has at most ${most}. Save this one under a new slug.`);
  }
  return next;
}

const nowOf = ({ platform }: PresetParts): string => new Date(platform.now()).toISOString();

/** `PATCH /admin/v1/presets/{slug}`: its name, description and status, and which version calls use. */
export const updatePreset = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  body: updatePresetRequestSchema,
  response: presetResponseSchema,
  async run({ params: { slug }, query, body, ...asking }) {
    const { parts } = asking;
    const { id } = await openPreset(slug, query, asking);
    const changed = await parts.store.presets.update(id, (stored) => {
      const { preset, versions } = stored;
      const { designated_version: number, ...fields } = body;
      const designated = number === undefined ? undefined : versions.find(({ version }) => version === number);
      if (number !== undefined && designated === undefined) {
        throw refuseField('designated_version', `there is no version ${number}`);
      }
      const now = nowOf(parts);
      const hasNewStatus = fields.status !== undefined && fields.status !== preset.status;
      return {
        ...stored,
        preset: {
          ...preset,
          ...definedOf(fields),
          ...(designated !== undefined && { designated_version_id: designated.id }),
          ...(hasNewStatus && { status_updated_at: now }),
          updated_at: now,
        },
      };
    });
    if (changed === undefined) throw noPreset(slug);
    return { data: toPresetWithVersion(changed) };
  },
});

type ChangedFields = Partial<Pick<Preset, 'name' | 'description' | 'status'>>;

const definedOf = (fields: {
  readonly [Name in keyof ChangedFields]: ChangedFields[Name] | undefined;
}): ChangedFields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** `DELETE /admin/v1/presets/{slug}`: with all its versions. */
export const deletePreset = operation<PresetParts>()({
  params: ['slug'],
  query: presetQuerySchema,
  response: deletedSchema,
  async run({ params: { slug }, query, ...asking }) {
    const { id } = await openPreset(slug, query, asking);
    if (!(await asking.parts.store.presets.remove(id))) throw noPreset(slug);
    return { deleted: true };
  },
});
