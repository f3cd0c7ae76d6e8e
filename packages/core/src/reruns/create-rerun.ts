import { GatewayError } from '../foundation/errors.ts';
import { toNanoUsd } from '../foundation/money.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { rerunItemId, type RerunPart, rerunUploadId, type StoredRerun, updateRerun } from '../stores/reruns.ts';
import type { JobOwner } from '../stores/store.ts';
import { refuseField } from '../wire/fields.ts';
import { type CreateRerunRequest, MAX_RERUN_CALLS } from '../wire/reruns.ts';
import { checkPlan, type CreateParts } from './check-plan.ts';
import { resolveTargets } from './preset-targets.ts';
import { type PlannedItem, resolveSet } from './rerun-set.ts';

const INSERTED_AT_ONCE = 200;

/** Stores a rerun with all its items. It is at `ready`, or at `running` where it is to start. */
export async function createRerun(
  body: CreateRerunRequest,
  by: { readonly owner: JobOwner; readonly createdBy: string },
  parts: CreateParts,
): Promise<StoredRerun> {
  const targets = await resolveTargets(body.targets, by.owner, parts);
  await checkPlan({ ...body, targets }, by.owner, parts);
  const planned = await resolveSet(body.set, parts);
  const { judges, concurrency } = body;
  const calls = planned.length * targets.length;
  if (calls > MAX_RERUN_CALLS) {
    throw refuseField(
      'set',
      `has ${planned.length} calls, which are ${calls} with all targets; at most ${MAX_RERUN_CALLS}`,
    );
  }
  const { platform, store } = parts;
  const id = createRerunId(platform);
  const rerun: StoredRerun = {
    id,
    kind: 'rerun',
    name: body.name ?? null,
    createdAt: new Date(platform.now()).toISOString(),
    ...by,
    targets,
    judges,
    concurrency,
    maxCostNanoUsd: toNanoUsd(body.max_cost_usd),
    items: planned.length,
    state: 'estimating',
    reason: null,
    counts: { total: calls, pending: calls, running: 0, done: 0, failed: 0 },
    spentNanoUsd: 0,
    judgeNanoUsd: 0,
    lostNanoUsd: 0,
  };
  await store.reruns.insert(rerun);
  const rows = planned.flatMap((item, index) => toRows(rerun, item, index));
  for (let at = 0; at < rows.length; at += INSERTED_AT_ONCE) {
    await Promise.all(rows.slice(at, at + INSERTED_AT_ONCE).map((row) => store.reruns.insert(row)));
  }
  const state = body.start ? 'running' : 'ready';
  // It may have been cancelled meanwhile.
  const begun = await updateRerun(id, store.reruns, (latest) =>
    latest.state === 'estimating' ? { ...latest, state } : latest,
  );
  if (begun === undefined) throw new GatewayError('conflict', 'The rerun was deleted while it was created');
  return begun;
}

/** The id of a new rerun. */
export const createRerunId = (platform: Pick<Platform, 'randomBytes'>): string =>
  `rerun-${createRandomId(platform).slice(0, 20)}`;

function toRows({ id: rerunId, targets }: StoredRerun, item: PlannedItem, index: number): RerunPart[] {
  const items = targets.map((_, target): RerunPart => ({
    id: rerunItemId(rerunId, index, target),
    kind: 'item',
    rerunId,
    index,
    target,
    generationId: item.generationId,
    original: item.figures,
    state: 'pending',
    reason: null,
    calls: [],
    figures: null,
    verdicts: [],
    person: null,
  }));
  if (item.upload === null) return items;
  const { request, completion = null } = item.upload;
  return [{ id: rerunUploadId(rerunId, index), kind: 'upload', rerunId, index, request, completion }, ...items];
}
