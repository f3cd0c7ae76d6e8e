import { readFile, writeFile } from 'node:fs/promises';

import {
  type AssignmentRecord,
  createKeyRecord,
  defaultGuardrailIdOf,
  defaultGuardrailName,
  type Guardrail,
  type KeyRecord,
  type Store,
  toNewGuardrail,
  toNewWorkspace,
} from '@model-gateway/core';
import { guardrailSchema } from '@model-gateway/core/setup';
import { createNodePlatform } from '@model-gateway/node';

import { StartError } from '../process/start-error.ts';
import type { MovedGuardrail, MovedKey, MovedLimit, MovedWorkspace, MovePlan } from './plan.ts';
import { toUuid } from './planner.ts';

/** What was written, and what was there before and stays as it is. */
export interface Applied {
  readonly workspaces: number;
  readonly keys: number;
  readonly guardrails: number;
  readonly kept: number;
  /** Keys that were made anew: they are shown once. */
  readonly made: readonly { readonly name: string; readonly key: string }[];
}

/** A place with the default workspace, whose id is always the same. */
const DEFAULT_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Writes workspaces, keys and guardrails that are not there yet. What is there, by the slug of a workspace and the hash
 * or the name of a key, stays as it is. Keys whose text is not known are made when `makesKeys`, else left out.
 */
export async function applyPlan(plan: MovePlan, store: Store, { makesKeys }: { makesKeys: boolean }): Promise<Applied> {
  const platform = createNodePlatform();
  const now = new Date(platform.now()).toISOString();
  const count = { workspaces: 0, keys: 0, guardrails: 0, kept: 0 };
  const idOf = new Map<string | null, string>([[null, DEFAULT_ID]]);
  const stored = await store.workspaces.list();
  for (const wanted of plan.workspaces) {
    const known = stored.find(({ workspace }) => workspace.slug === wanted.slug);
    const id = known?.id ?? toUuid(`workspace ${wanted.slug}`);
    idOf.set(wanted.slug, id);
    if (known !== undefined) count.kept += 1;
    else {
      await store.workspaces.insert(toWorkspaceRecord(wanted, { id, now }));
      count.workspaces += 1;
    }
    if (wanted.allowedModels === null || (await store.guardrails.get(defaultGuardrailIdOf(id))) !== undefined) continue;
    await store.guardrails.insert(toDefaultGuardrail(id, wanted.allowedModels, now));
    count.guardrails += 1;
  }
  const made: { name: string; key: string }[] = [];
  const hashOf = new Map<string, string>();
  const keys = await store.keys.list();
  for (const wanted of plan.keys) {
    const workspaceId = idOf.get(wanted.workspace) ?? DEFAULT_ID;
    const isSame = ({ hash, name, workspaceId: place }: KeyRecord): boolean =>
      wanted.hash === null ? name === wanted.name && place === workspaceId : hash === wanted.hash;
    const known = keys.find(isSame);
    if (known !== undefined) {
      hashOf.set(wanted.source, known.hash);
      count.kept += 1;
      continue;
    }
    if (wanted.hash === null && !makesKeys) continue;
    const { key, record } = await createKeyRecord({ platform, ...toNewKey(wanted, workspaceId) });
    const { hash } = wanted;
    const own = hash === null ? record : { ...record, hash, label: `${wanted.name.slice(0, 20)}...${hash.slice(-4)}` };
    await store.keys.insert({ ...own, disabled: wanted.disabled });
    hashOf.set(wanted.source, own.hash);
    count.keys += 1;
    if (hash === null) made.push({ name: wanted.name, key });
  }
  for (const wanted of plan.guardrails) {
    const id = toUuid(wanted.source);
    if ((await store.guardrails.get(id)) === undefined) {
      await store.guardrails.insert(toGuardrail(wanted, id, idOf.get(wanted.workspace) ?? DEFAULT_ID, now));
      count.guardrails += 1;
    } else count.kept += 1;
    await assign(
      id,
      wanted.keys.flatMap((source) => hashOf.get(source) ?? []),
      store,
      now,
    );
  }
  return { ...count, made };
}

const toNewKey = (wanted: MovedKey, workspaceId: string) => ({
  name: wanted.name,
  kind: 'api' as const,
  limitUsd: wanted.limit?.limitUsd ?? null,
  limitReset: wanted.limit?.reset ?? null,
  includeByokInLimit: wanted.includesByok,
  workspaceId,
  expiresAt: wanted.expiresAt,
});

function toWorkspaceRecord(wanted: MovedWorkspace, { id, now }: { readonly id: string; readonly now: string }) {
  const { slug, name, description, defaultModel } = wanted;
  const created = { id, name, slug, created_at: now, created_by: null };
  const record = toNewWorkspace({ ...created, description, default_text_model: defaultModel });
  return { ...record, budgets: [...wanted.budgets].toSorted(byWidth).map((limit) => toBudget(limit, { id, now })) };
}

const WIDTHS = ['daily', 'weekly', 'monthly', null];
const byWidth = (one: MovedLimit, other: MovedLimit): number => WIDTHS.indexOf(one.reset) - WIDTHS.indexOf(other.reset);

const toBudget = ({ limitUsd, reset }: MovedLimit, { id, now }: { readonly id: string; readonly now: string }) => ({
  id: toUuid(`budget ${id} ${reset}`),
  workspace_id: id,
  limit_usd: limitUsd,
  reset_interval: reset,
  created_at: now,
  updated_at: now,
});

const toDefaultGuardrail = (workspaceId: string, models: readonly string[], now: string): Guardrail => ({
  ...toNewGuardrail({
    id: defaultGuardrailIdOf(workspaceId),
    name: defaultGuardrailName(workspaceId),
    workspace_id: workspaceId,
    created_at: now,
  }),
  allowed_models: [...models],
});

const toGuardrail = (wanted: MovedGuardrail, id: string, workspaceId: string, now: string): Guardrail =>
  guardrailSchema.parse({
    ...toNewGuardrail({ id, name: wanted.name.slice(0, 200), workspace_id: workspaceId, created_at: now }),
    ...wanted.demands,
  });

/** Assigns a guardrail to those keys that have none: another one may have been chosen since the last time. */
async function assign(guardrailId: string, hashes: readonly string[], store: Store, now: string): Promise<void> {
  const guarded = new Set((await store.keyAssignments.list()).map(({ subjectId }) => subjectId));
  const rows = hashes
    .filter((hash) => !guarded.has(hash))
    .map((hash): AssignmentRecord => {
      const id = toUuid(`assignment ${guardrailId} ${hash}`);
      return { id, guardrailId, subjectId: hash, assignedBy: null, createdAt: now };
    });
  if (rows.length > 0) await store.keyAssignments.assign(rows);
}

/** Writes the config file. The same text again is no change; another file is replaced on request alone. */
export async function writePlannedConfig(file: string, text: string, force: boolean): Promise<'written' | 'unchanged'> {
  const before = await readFile(file, 'utf8').catch(() => undefined);
  if (before === text) return 'unchanged';
  if (before !== undefined && !force) {
    throw new StartError(`${file} exists and differs. Choose another one with --out, or replace it with --force.`);
  }
  await writeFile(file, text).catch((cause: Error) => {
    throw new StartError(`${file} cannot be written: ${cause.message}`, { cause });
  });
  return 'written';
}
