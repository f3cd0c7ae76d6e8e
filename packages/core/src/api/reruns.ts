import { toKeyPrincipal } from '../auth/authenticate.ts';
import { toJobOwner } from '../auth/find-owner.ts';
import { findKey, type MemberDirectory } from '../auth/keys.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toNanoUsd } from '../foundation/money.ts';
import { operation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import { removeRerun } from '../reruns/aged-reruns.ts';
import type { CreateParts } from '../reruns/check-plan.ts';
import { createRerun as makeRerun } from '../reruns/create-rerun.ts';
import { estimateRerun as makeEstimate } from '../reruns/estimate-rerun.ts';
import { csvHead, readPair, reportTargets, toCsvLine, toRerun, toRerunItem } from '../reruns/rerun-report.ts';
import { sumItems } from '../reruns/rerun-rows.ts';
import type { RerunRunner } from '../reruns/rerun-runner.ts';
import {
  findRerun,
  listPartsOf,
  listReruns as findReruns,
  type StoredRerun,
  type StoredRerunItem,
  type StoredRerunUpload,
  updateRerun,
} from '../stores/reruns.ts';
import type { JobOwner, Store } from '../stores/store.ts';
import { deletedSchema, refuseField, toPage } from '../wire/fields.ts';
import {
  createRerunRequestSchema,
  estimateRerunRequestSchema,
  judgeItemRequestSchema,
  rerunEstimateSchema,
  rerunExportQuerySchema,
  rerunExportSchema,
  rerunItemResponseSchema,
  rerunItemsQuerySchema,
  rerunListQuerySchema,
  rerunListSchema,
  rerunPairsSchema,
  rerunReportSchema,
  rerunResponseSchema,
  type RerunState,
  resumeRerunRequestSchema,
} from '../wire/reruns.ts';
import { parseInnerChat } from './inner-chat.ts';

export interface RerunParts extends CreateParts {
  readonly store: Pick<Store, 'generations' | 'keys' | 'presets' | 'reruns' | 'workspaces'>;
  readonly members: MemberDirectory;
  readonly reruns: Pick<RerunRunner, 'takeUp'>;
}

/** They are for people, and a store may have their rows in memory. */
const MAX_RERUNS = 200;
const MAX_ITEMS_OF_ALL = 50_000;

/** `POST /admin/v1/reruns/estimate`: what a rerun would cost, without making a call. */
export const estimateRerun = operation<RerunParts>()({
  body: estimateRerunRequestSchema,
  response: rerunEstimateSchema,
  async run({ parts, principal, body }) {
    const owner = await findOwner(body.run_as_key, principal, parts);
    return { data: await makeEstimate(body, { owner, parse: parseInnerChat }, parts) };
  },
});

/** `GET /admin/v1/reruns`: newest first. */
export const listReruns = operation<RerunParts>()({
  query: rerunListQuerySchema,
  response: rerunListSchema,
  async run({ parts, query }) {
    const { data, total_count } = toPage((await findReruns(parts.store.reruns)).toReversed(), query);
    return { data: data.map(toRerun), total_count };
  },
});

/** `POST /admin/v1/reruns`: resolves its set to calls, and starts it unless `start` is false. */
export const createRerun = operation<RerunParts>()({
  body: createRerunRequestSchema,
  response: rerunResponseSchema,
  status: 201,
  errors: ['conflict'],
  async run({ parts, principal, body }) {
    if (parts.platform.isPerRequest === true) {
      throw new GatewayError('conflict', 'Reruns need a process that goes on between requests; this runtime has none');
    }
    await refuseTooMany(parts);
    const owner = await findOwner(body.run_as_key, principal, parts);
    const rerun = await makeRerun(body, { owner, createdBy: principal.name }, parts);
    if (rerun.state === 'running') parts.reruns.takeUp(rerun.id);
    return { data: toRerun(rerun) };
  },
});

async function refuseTooMany({ store }: RerunParts): Promise<void> {
  const present = await findReruns(store.reruns);
  const items = present.reduce((sum, { counts }) => sum + counts.total, 0);
  if (present.length < MAX_RERUNS && items < MAX_ITEMS_OF_ALL) return;
  throw new GatewayError(
    'conflict',
    `There are ${present.length} reruns with ${items} items already. Delete one first.`,
  );
}

async function findOwner(hash: string | undefined, by: Principal, parts: RerunParts): Promise<JobOwner> {
  if (hash === undefined) return toJobOwner(by, parts);
  const record = await findKey(hash, parts).catch((cause: unknown) => {
    throw refuseField('run_as_key', 'must be the hash of a stored API key', cause);
  });
  if (record.kind !== 'api') throw refuseField('run_as_key', 'must be an API key; this is a management key');
  return toJobOwner(toKeyPrincipal(record), parts);
}

/** `GET /admin/v1/reruns/{id}`: with the results so far. */
export const getRerun = operation<RerunParts>()({
  params: ['id'],
  response: rerunReportSchema,
  async run({ params: { id }, parts }) {
    const rerun = await readRerun(id, parts);
    const { items } = await readItems(id, parts);
    // Its own counts are written when an item ends, so they lack what has begun since.
    return { data: { ...toRerun(rerun), counts: sumItems(items).counts, results: reportTargets(rerun, items) } };
  },
});

async function readRerun(id: string, { store }: Pick<RerunParts, 'store'>): Promise<StoredRerun> {
  const rerun = await findRerun(id, store.reruns);
  if (rerun === undefined) throw noRerun(id);
  return rerun;
}

const noRerun = (id: string): GatewayError =>
  new GatewayError('not_found', `There is no rerun ${JSON.stringify(id.slice(0, 64))}`);

interface Items {
  readonly items: readonly StoredRerunItem[];
  /** By their places in the set. */
  readonly uploads: ReadonlyMap<number, StoredRerunUpload>;
}

async function readItems(id: string, { store }: Pick<RerunParts, 'store'>): Promise<Items> {
  const parts = await listPartsOf(id, store.reruns);
  const items = parts.filter((part) => part.kind === 'item');
  const uploads = new Map(parts.flatMap((part) => (part.kind === 'upload' ? [[part.index, part] as const] : [])));
  return { items: items.toSorted((a, b) => a.index - b.index || a.target - b.target), uploads };
}

/** `GET /admin/v1/reruns/{id}/items`: the pairs of completions, in the order of the set. */
export const listRerunItems = operation<RerunParts>()({
  params: ['id'],
  query: rerunItemsQuerySchema,
  response: rerunPairsSchema,
  find: ({ params, parts }) => readRerun(params.id, parts),
  async run({ params: { id }, parts, query }) {
    const { items, uploads } = await readItems(id, parts);
    const chosen = query.target === undefined ? items : items.filter(({ target }) => target === Number(query.target));
    const { data, total_count } = toPage(chosen, query);
    return { data: await Promise.all(data.map((item) => readPair(item, uploads, parts))), total_count };
  },
});

/** `PUT /admin/v1/reruns/{id}/items/{item}`: the verdict of a person, which counts in the place of those of judges. */
export const judgeRerunItem = operation<RerunParts>()({
  params: ['id', 'item'],
  body: judgeItemRequestSchema,
  response: rerunItemResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => readRerun(params.id, parts),
  async run({ params: { id, item }, parts, principal, body: { verdict, note } }) {
    const rowId = `${id}.${item}`;
    const found = await parts.store.reruns.get(rowId);
    if (found?.kind !== 'item') throw new GatewayError('not_found', `The rerun has no item ${item.slice(0, 64)}`);
    const row = await parts.store.reruns.update(rowId, (latest) => {
      if (latest.kind !== 'item') return latest;
      if (latest.state !== 'done') {
        throw new GatewayError('conflict', 'Only an item that is done can be judged; this one has no completion');
      }
      return { ...latest, person: verdict === null ? null : { verdict, note, by: principal.name } };
    });
    if (row?.kind !== 'item') throw noRerun(id);
    return { data: toRerunItem(row) };
  },
});

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

/** `GET /admin/v1/reruns/{id}/export`: all pairs in a file. */
export const exportRerun = operation<RerunParts>()({
  params: ['id'],
  query: rerunExportQuerySchema,
  response: { mediaTypes: { 'application/x-ndjson': rerunExportSchema, 'text/csv': null } },
  responseHeaders: { 'content-disposition': 'The name of the file', 'cache-control': '`no-store`' },
  errors: ['conflict'],
  find: ({ params, parts }) => readRerun(params.id, parts),
  async run({ found: rerun, request, parts, query: { format } }) {
    const { signal } = request;
    return {
      status: 200,
      headers: {
        'content-type': TYPES[format],
        'content-disposition': `attachment; filename="${rerun.id}.${format}"`,
        'cache-control': 'no-store',
      },
      body: writePairs({ rerun, format, signal, ...(await readItems(rerun.id, parts)) }, parts),
    };
  },
});

interface ExportOf extends Items {
  readonly rerun: StoredRerun;
  readonly format: keyof typeof TYPES;
  readonly signal: AbortSignal;
}

const encoder = new TextEncoder();

async function* writePairs(
  { rerun, format, signal, items, uploads }: ExportOf,
  parts: Pick<RerunParts, 'store'>,
): AsyncGenerator<Uint8Array> {
  if (format === 'csv') yield encoder.encode(csvHead());
  for (const item of items) {
    if (signal.aborted) return;
    const pair = await readPair(item, uploads, parts);
    yield encoder.encode(format === 'csv' ? toCsvLine(pair, rerun) : `${JSON.stringify(pair)}\n`);
  }
}

/** Puts a rerun into a state that it can be put into from the present one. Throws `conflict` otherwise. */
async function putState(
  id: string,
  state: RerunState,
  { from, maxCostUsd }: { readonly from: readonly RerunState[]; readonly maxCostUsd?: number | undefined },
  { store }: RerunParts,
): Promise<StoredRerun> {
  const changed = await updateRerun(id, store.reruns, (latest) => {
    if (!from.includes(latest.state)) {
      throw new GatewayError(
        'conflict',
        `The rerun is ${latest.state}; only one that is ${from.join(' or ')} can be ${VERBS[state]}`,
      );
    }
    const maxCostNanoUsd = maxCostUsd === undefined ? latest.maxCostNanoUsd : toNanoUsd(maxCostUsd);
    return { ...latest, state, reason: null, maxCostNanoUsd };
  });
  if (changed === undefined) throw noRerun(id);
  return changed;
}

const VERBS: Readonly<Partial<Record<RerunState, string>>> = {
  paused: 'paused',
  running: 'resumed',
  cancelled: 'cancelled',
};

/** `POST /admin/v1/reruns/{id}/pause`: calls under way go on to their ends. */
export const pauseRerun = operation<RerunParts>()({
  params: ['id'],
  response: rerunResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => readRerun(params.id, parts),
  run: async ({ params: { id }, parts }) => ({
    data: toRerun(await putState(id, 'paused', { from: ['running'] }, parts)),
  }),
});

/** `POST /admin/v1/reruns/{id}/resume`: starts one that is ready, too; with a higher cap, where one is given. */
export const resumeRerun = operation<RerunParts>()({
  params: ['id'],
  body: resumeRerunRequestSchema,
  response: rerunResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => readRerun(params.id, parts),
  async run({ params: { id }, parts, body: { max_cost_usd: maxCostUsd } }) {
    const rerun = await putState(id, 'running', { from: ['ready', 'paused'], maxCostUsd }, parts);
    parts.reruns.takeUp(id);
    return { data: toRerun(rerun) };
  },
});

/** `POST /admin/v1/reruns/{id}/cancel`: for good; calls under way go on to their ends. */
export const cancelRerun = operation<RerunParts>()({
  params: ['id'],
  response: rerunResponseSchema,
  errors: ['conflict'],
  find: ({ params, parts }) => readRerun(params.id, parts),
  run: async ({ params: { id }, parts }) => ({
    data: toRerun(await putState(id, 'cancelled', { from: ['estimating', 'ready', 'running', 'paused'] }, parts)),
  }),
});

/** `DELETE /admin/v1/reruns/{id}`: with its items. The generations of its calls stay, because they account for money. */
export const deleteRerun = operation<RerunParts>()({
  params: ['id'],
  response: deletedSchema,
  errors: ['conflict'],
  async run({ params: { id }, parts }) {
    const { state } = await readRerun(id, parts);
    if (state === 'running') throw new GatewayError('conflict', 'The rerun is running; pause or cancel it first');
    if (!(await removeRerun(id, parts.store.reruns))) throw noRerun(id);
    return { deleted: true };
  },
});
