import { toJobOwner } from '../auth/find-owner.ts';
import { DEFAULT_WORKSPACE_ID, type MemberDirectory } from '../auth/keys.ts';
import { checkBatch } from '../batches/batch-lines.ts';
import type { BatchRunner } from '../batches/batch-runner.ts';
import type { RegionOf } from '../calls/regions.ts';
import type { FileLibrary } from '../files/file-library.ts';
import { GatewayError, whenNotFound } from '../foundation/errors.ts';
import { toUsd } from '../foundation/money.ts';
import { createRandomId, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { GatewayRequest, Principal } from '../http/request.ts';
import { findBatch, isOpen, listBatches, type StoredBatch, updateBatch } from '../stores/batches.ts';
import type { StoredFile } from '../stores/files.ts';
import type { Store } from '../stores/store.ts';
import {
  type Batch,
  type BatchEndpoint,
  type BatchResult,
  type BatchRow,
  batchRowListQuerySchema,
  batchRowListSchema,
  batchRowResponseSchema,
  batchListQuerySchema,
  batchListSchema,
  batchSchema,
  createBatchRequestSchema,
  createInlineBatchRequestSchema,
  inlineBatchSchema,
} from '../wire/batches.ts';
import { refuseField, toPage } from '../wire/fields.ts';

export interface BatchParts {
  readonly store: Pick<Store, 'batches' | 'keys' | 'workspaces'>;
  readonly members: MemberDirectory;
  readonly platform: Pick<Platform, 'now' | 'randomBytes'>;
  /** Null where no files are stored. */
  readonly files: FileLibrary | null;
  readonly batches: BatchRunner | null;
  readonly regionOf: RegionOf;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** `POST /batches`: a batch of the lines of a file, in the form of the OpenAI API. */
export const createBatch = operation<BatchParts>()({
  // Where no batches are run.
  errors: ['not_found'],
  body: createBatchRequestSchema,
  response: batchSchema,
  async run({ request, parts, principal, body: { input_file_id: id, endpoint, metadata } }) {
    const { files } = enter(parts);
    refuseInRegion(request, parts);
    const file = await files.find(id, workspaceOf(principal)).catch(
      whenNotFound((error) => {
        throw refuseField('input_file_id', 'is not the id of a file of this workspace', error);
      }),
    );
    return toBatch(await begin({ file, endpoint, metadata: metadata ?? null }, principal, parts));
  },
});

/** `POST /api/beta/batches`: a batch of requests that are sent with it, in the form of OpenRouter's API. */
export const createInlineBatch = operation<BatchParts>()({
  // Where no batches are run.
  errors: ['not_found'],
  body: createInlineBatchRequestSchema,
  response: inlineBatchSchema,
  status: 202,
  async run({ request, parts, principal, body: { endpoint, model, requests, metadata } }) {
    const { files } = enter(parts);
    refuseInRegion(request, parts);
    const workspaceId = workspaceOf(principal);
    await files.refuseWithoutRoom(workspaceId);
    const encoder = new TextEncoder();
    const lines = async function* (): AsyncGenerator<Uint8Array> {
      for (const { custom_id, body } of requests) {
        const line = {
          custom_id,
          method: 'POST',
          url: endpoint,
          body: model === undefined ? body : { model, ...body },
        };
        yield encoder.encode(`${JSON.stringify(line)}\n`);
      }
    };
    const file = await files.add({
      ...(await files.receive(lines(), 'application/x-ndjson')),
      workspaceId,
      filename: 'batch_input.jsonl',
      purpose: 'batch',
      origin: 'generated',
      createdBy: principal.id,
      livesSeconds: null,
    });
    const batch = await begin({ file, endpoint, metadata: metadata ?? null }, principal, parts);
    return { ...toBatch(batch), results: null };
  },
});

/** The lines of a batch have no host, and their texts are kept in files: a region could not be held to. */
function refuseInRegion(request: GatewayRequest, { regionOf }: BatchParts): void {
  const region = regionOf(request);
  if (region === null) return;
  throw new GatewayError(
    'invalid_request',
    `Hosts of a region (${region.name}) run no batches: send it to another host, or its calls one by one`,
  );
}

interface Beginning {
  readonly file: StoredFile;
  readonly endpoint: BatchEndpoint;
  readonly metadata: StoredBatch['metadata'];
}

async function begin(
  { file, endpoint, metadata }: Beginning,
  principal: Principal,
  parts: BatchParts,
): Promise<StoredBatch> {
  const { files, batches } = enter(parts);
  const { total, problems } = await checkBatch((await files.open(file)).read(), endpoint);
  const now = parts.platform.now();
  const status = problems.length === 0 ? 'validating' : 'failed';
  const batch: StoredBatch = {
    id: `batch_${createRandomId(parts.platform)}`,
    kind: 'batch',
    workspaceId: workspaceOf(principal),
    owner: await toJobOwner(principal, parts),
    endpoint,
    inputFileId: file.id,
    inputContent: file.content,
    status,
    createdAt: now,
    expiresAt: now + DAY_MS,
    times: status === 'failed' ? { failed: now } : {},
    metadata,
    total: status === 'failed' ? 0 : total,
    completed: 0,
    failed: 0,
    costNanoUsd: 0,
    problems,
    outputFileId: null,
    errorFileId: null,
    lease: null,
  };
  await parts.store.batches.insert(batch);
  if (status === 'validating') batches.takeUp(batch.id);
  return batch;
}

/** `GET /batches`: the batches of the workspace, newest first. */
export const listStoredBatches = operation<BatchParts>()({
  // Where no batches are run.
  errors: ['not_found'],
  query: batchListQuerySchema,
  response: batchListSchema,
  async run({ parts, principal, query: { after, limit } }) {
    enter(parts);
    const workspaceId = workspaceOf(principal);
    const all = (await listBatches(parts.store.batches)).filter((batch) => batch.workspaceId === workspaceId);
    const newest = all.toReversed();
    const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) throw refuseField('after', 'is not the id of a batch');
    const page = newest.slice(start, start + limit);
    return {
      object: 'list',
      data: page.map(toBatch),
      has_more: newest.length > start + page.length,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
});

/** `GET /batches/{batch_id}` */
export const getBatch = operation<BatchParts>()({
  params: ['batch_id'],
  response: batchSchema,
  async run({ parts, principal, params }) {
    return toBatch(await findOwn(params.batch_id, principal, parts));
  },
});

/** `GET /api/beta/batches/{batch_id}`: with the results, once it has ended. */
export const getInlineBatch = operation<BatchParts>()({
  params: ['batch_id'],
  response: inlineBatchSchema,
  async run({ parts, principal, params }) {
    const batch = await findOwn(params.batch_id, principal, parts);
    const hasFiles = batch.outputFileId !== null || batch.errorFileId !== null;
    if (isOpen(batch) || (batch.status === 'failed' && !hasFiles)) return { ...toBatch(batch), results: null };
    const lines = await Promise.all([batch.outputFileId, batch.errorFileId].map((id) => readResults(id, batch, parts)));
    const results = lines.flat().toSorted((a, b) => (a.id < b.id ? -1 : 1));
    return { ...toBatch(batch), results };
  },
});

async function readResults(id: string | null, batch: StoredBatch, parts: BatchParts): Promise<BatchResult[]> {
  const { files } = enter(parts);
  // The file may have been deleted since.
  const file = id === null ? undefined : await files.find(id, batch.workspaceId).catch(whenNotFound(() => undefined));
  if (file === undefined) return [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of (await files.open(file)).read()) text += decoder.decode(piece, { stream: true });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as BatchResult);
}

/** `POST /batches/{batch_id}/cancel`: calls under way are ended by themselves, and further ones are not made. */
export const cancelBatch = operation<BatchParts>()({
  errors: ['conflict'],
  params: ['batch_id'],
  response: batchSchema,
  async run({ parts, principal, params }) {
    await findOwn(params.batch_id, principal, parts);
    return toBatch(await cancel(params.batch_id, parts));
  },
});

async function cancel(id: string, parts: BatchParts): Promise<StoredBatch> {
  const { batches } = enter(parts);
  const now = parts.platform.now();
  const changed = await updateBatch(id, parts.store.batches, (latest) => {
    const { status, times } = latest;
    if (status === 'cancelling' || status === 'cancelled') return latest;
    if (status !== 'validating' && status !== 'in_progress') {
      throw new GatewayError('conflict', `The batch cannot be cancelled any more: it is ${status}`);
    }
    return { ...latest, status: 'cancelling', times: { ...times, cancelling: now } };
  });
  if (changed === undefined) throw noBatch(id);
  batches.takeUp(changed.id);
  return changed;
}

async function findOwn(id: string, principal: Principal, parts: BatchParts): Promise<StoredBatch> {
  const batch = await findAny(id, parts);
  if (batch.workspaceId !== workspaceOf(principal)) throw noBatch(id);
  return batch;
}

async function findAny(id: string, parts: BatchParts): Promise<StoredBatch> {
  enter(parts);
  const batch = await findBatch(id, parts.store.batches);
  if (batch === undefined) throw noBatch(id);
  return batch;
}

const noBatch = (id: string): GatewayError => new GatewayError('not_found', `There is no batch "${id.slice(0, 80)}"`);

const workspaceOf = ({ workspaceId }: Principal): string => workspaceId ?? DEFAULT_WORKSPACE_ID;

function enter({ files, batches }: BatchParts): { readonly files: FileLibrary; readonly batches: BatchRunner } {
  if (files !== null && batches !== null) return { files, batches };
  throw new GatewayError('not_found', 'This gateway runs no batches, because it stores no files');
}

const seconds = (timeMs: number | undefined): number | null =>
  timeMs === undefined ? null : Math.floor(timeMs / 1000);

const toBatch = (batch: StoredBatch): Batch => ({
  id: batch.id,
  object: 'batch',
  endpoint: batch.endpoint,
  errors:
    batch.problems.length === 0
      ? null
      : { object: 'list', data: batch.problems.map((problem) => ({ ...problem, param: null })) },
  input_file_id: batch.inputFileId,
  completion_window: '24h',
  status: batch.status,
  output_file_id: batch.outputFileId,
  error_file_id: batch.errorFileId,
  created_at: Math.floor(batch.createdAt / 1000),
  in_progress_at: seconds(batch.times.in_progress),
  expires_at: Math.floor(batch.expiresAt / 1000),
  finalizing_at: seconds(batch.times.finalizing),
  completed_at: seconds(batch.times.completed),
  failed_at: seconds(batch.times.failed),
  expired_at: seconds(batch.times.expired),
  cancelling_at: seconds(batch.times.cancelling),
  cancelled_at: seconds(batch.times.cancelled),
  request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
  metadata: batch.metadata === null ? null : { ...batch.metadata },
  cost: toUsd(batch.costNanoUsd),
});

/** `GET /admin/v1/batches`: the batches of all workspaces, newest first. */
export const listAllBatches = operation<BatchParts>()({
  // Where no batches are run.
  errors: ['not_found'],
  query: batchRowListQuerySchema,
  response: batchRowListSchema,
  async run({ parts, query }) {
    enter(parts);
    const { workspace_id: workspaceId, key_hash: keyHash, status } = query;
    const found = (await listBatches(parts.store.batches)).filter(
      (batch) =>
        (workspaceId === undefined || batch.workspaceId === workspaceId) &&
        (keyHash === undefined || batch.owner.id === keyHash) &&
        (status === undefined || (status === 'open' ? isOpen(batch) : batch.status === status)),
    );
    const { data, total_count } = toPage(found.toReversed(), query);
    return { data: data.map(toRow), total_count };
  },
});

const toRow = (batch: StoredBatch): BatchRow => ({
  ...toBatch(batch),
  workspace_id: batch.workspaceId,
  key_hash: batch.owner.id,
  key_name: batch.owner.name,
});

/** `GET /admin/v1/batches/{batch_id}`: a batch of any workspace. */
export const getAnyBatch = operation<BatchParts>()({
  params: ['batch_id'],
  response: batchRowResponseSchema,
  async run({ parts, params }) {
    return { data: toRow(await findAny(params.batch_id, parts)) };
  },
});

/** `POST /admin/v1/batches/{batch_id}/cancel` */
export const cancelAnyBatch = operation<BatchParts>()({
  errors: ['conflict'],
  params: ['batch_id'],
  response: batchRowResponseSchema,
  async run({ parts, params }) {
    await findAny(params.batch_id, parts);
    return { data: toRow(await cancel(params.batch_id, parts)) };
  },
});
