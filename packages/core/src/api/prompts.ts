import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { type StoredPrompt, toPromptHead, variablesOf } from '../stores/prompts.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField, toPage } from '../wire/fields.ts';
import {
  createPromptRequestSchema,
  createPromptVersionRequestSchema,
  type Prompt,
  type PromptHead,
  promptListQuerySchema,
  promptListSchema,
  promptResponseSchema,
  type PromptVersion,
  promptVersionResponseSchema,
  type StoredPromptVersion,
  updatePromptRequestSchema,
} from '../wire/prompts.ts';

export interface PromptParts {
  readonly store: Pick<Store, 'prompts'>;
  readonly platform: Pick<Platform, 'now'>;
}

/** They are for people, and a store may have all of them in memory. */
const MAX_PROMPTS = 1000;
const MAX_VERSIONS = 500;
/** Characters of JSON. A prompt is read and written as one row. */
const MAX_VERSION_SIZE = 400_000;
const MAX_PROMPT_SIZE = 4_000_000;

/** `GET /admin/v1/prompts`: prompts without their texts. */
export const listPrompts = operation<PromptParts>()({
  query: promptListQuerySchema,
  response: promptListSchema,
  async run({ parts, query }) {
    const heads = await listHeads(parts);
    const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? heads : heads.filter((head) => hasWords(head, words));
    return toPage(found.toSorted(compareHeads), query);
  },
});

const listHeads = async ({ store: { prompts } }: Pick<PromptParts, 'store'>): Promise<readonly PromptHead[]> =>
  prompts.listHeads === undefined ? (await prompts.list()).map(toPromptHead) : prompts.listHeads();

function hasWords({ id, name, description }: PromptHead, words: readonly string[]): boolean {
  const text = `${id} ${name} ${description ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

const compareHeads = (a: PromptHead, b: PromptHead): number =>
  b.updated_at < a.updated_at ? -1 : b.updated_at > a.updated_at ? 1 : a.id < b.id ? -1 : 1;

/** `POST /admin/v1/prompts`: a prompt with its first version. */
export const createPrompt = operation<PromptParts>()({
  body: createPromptRequestSchema,
  response: promptResponseSchema,
  status: 201,
  errors: ['conflict'],
  async run({ parts, principal, body: { id: wanted, name, description, ...contents } }) {
    const heads = await listHeads(parts);
    if (heads.length >= MAX_PROMPTS) {
      throw new GatewayError('conflict', `There are ${MAX_PROMPTS} prompts already. Delete one first.`);
    }
    const now = nowOf(parts);
    const first: StoredPromptVersion = { version: 1, ...contents, created_at: now, created_by: principal.name };
    refuseLargeVersion(first);
    const begin = (id: string): Promise<StoredPrompt | undefined> =>
      insertUnlessTaken(parts, {
        id,
        name,
        description,
        current_version: 1,
        created_at: now,
        updated_at: now,
        versions: [first],
      });
    if (wanted !== undefined) {
      const made = await begin(wanted);
      if (made === undefined) throw new GatewayError('conflict', `There is a prompt "${wanted}" already`);
      return { data: toPrompt(made) };
    }
    const slug = toSlug(name);
    const taken = new Set(heads.map(({ id }) => id));
    for (let at = 1; ; at += 1) {
      const id = at === 1 ? slug : `${slug}-${at}`;
      const made = taken.has(id) ? undefined : await begin(id);
      if (made !== undefined) return { data: toPrompt(made) };
    }
  },
});

/** Undefined where another has the id, of this process or of another one. */
async function insertUnlessTaken({ store }: PromptParts, initial: StoredPrompt): Promise<StoredPrompt | undefined> {
  let isTaken = false;
  await store.prompts.update(
    initial.id,
    (there) => {
      isTaken = there !== initial;
      return there;
    },
    initial,
  );
  return isTaken ? undefined : initial;
}

/** `GET /admin/v1/prompts/{id}`: a prompt with all its versions. */
export const getPrompt = operation<PromptParts>()({
  params: ['id'],
  response: promptResponseSchema,
  async run({ params: { id }, parts }) {
    return { data: toPrompt(await findPrompt(id, parts)) };
  },
});

async function findPrompt(id: string, { store }: Pick<PromptParts, 'store'>): Promise<StoredPrompt> {
  const prompt = await store.prompts.get(id);
  if (prompt === undefined) throw noPrompt(id);
  return prompt;
}

/** `PATCH /admin/v1/prompts/{id}`: its name and description, and which version is current. */
export const updatePrompt = operation<PromptParts>()({
  params: ['id'],
  body: updatePromptRequestSchema,
  response: promptResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => findPrompt(params.id, parts),
  async run({ params: { id }, parts, body }) {
    const changed = await parts.store.prompts.update(id, (prompt) => {
      const { name = prompt.name, description = prompt.description, current_version = prompt.current_version } = body;
      if (!prompt.versions.some(({ version }) => version === current_version)) {
        throw refuseField('current_version', `there is no version ${current_version}`);
      }
      return { ...prompt, name, description, current_version, updated_at: nowOf(parts) };
    });
    if (changed === undefined) throw noPrompt(id);
    return { data: toPrompt(changed) };
  },
});

/** `POST /admin/v1/prompts/{id}/versions`: versions never change; what is new is another version. */
export const createPromptVersion = operation<PromptParts>()({
  params: ['id'],
  body: createPromptVersionRequestSchema,
  response: promptVersionResponseSchema,
  status: 201,
  errors: ['conflict'],
  find: ({ params, parts }) => findPrompt(params.id, parts),
  async run({ params: { id }, parts, principal, body: { make_current: isCurrent, ...contents } }) {
    const now = nowOf(parts);
    const changed = await parts.store.prompts.update(id, (prompt) => {
      const version = (prompt.versions.at(-1)?.version ?? 0) + 1;
      const added: StoredPromptVersion = { version, ...contents, created_at: now, created_by: principal.name };
      refuseLargeVersion(added);
      const next: StoredPrompt = {
        ...prompt,
        current_version: isCurrent ? version : prompt.current_version,
        updated_at: now,
        versions: [...prompt.versions, added],
      };
      refuseLargePrompt(next);
      return next;
    });
    const added = changed?.versions.at(-1);
    if (added === undefined) throw noPrompt(id);
    return { data: toVersion(added) };
  },
});

/** `DELETE /admin/v1/prompts/{id}`: with all its versions. */
export const deletePrompt = operation<PromptParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    if (!(await parts.store.prompts.remove(id))) throw noPrompt(id);
    return { deleted: true };
  },
});

const noPrompt = (id: string): GatewayError =>
  new GatewayError('not_found', `There is no prompt ${JSON.stringify(id.slice(0, 64))}`);

const nowOf = ({ platform }: Pick<PromptParts, 'platform'>): string => new Date(platform.now()).toISOString();

const toVersion = (version: StoredPromptVersion): PromptVersion => ({
  ...version,
  variables: variablesOf(version.messages),
});

const toPrompt = (prompt: StoredPrompt): Prompt => ({
  ...toPromptHead(prompt),
  versions: prompt.versions.map(toVersion).reverse(),
});

function refuseLargeVersion(version: StoredPromptVersion): void {
  if (JSON.stringify(version).length <= MAX_VERSION_SIZE) return;
  throw refuseField('messages', `with the parameters must have at most ${MAX_VERSION_SIZE} characters`);
}

function refuseLargePrompt(prompt: StoredPrompt): void {
  const reason =
    prompt.versions.length > MAX_VERSIONS
      ? `${MAX_VERSIONS} versions`
      : JSON.stringify(prompt).length > MAX_PROMPT_SIZE
        ? `versions of ${MAX_PROMPT_SIZE} characters`
        : undefined;
  if (reason === undefined) return;
  throw new GatewayError('conflict', `A prompt has at most ${reason}. Save this one as a new prompt.`);
}

/** Room for a number behind it. */
const MAX_SLUG = 58;

/** The letters and digits of a name that are in every address; "prompt" where there is none. */
function toSlug(name: string): string {
  const slug = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'prompt' : slug;
}
