import type { Awaitable } from '../foundation/awaitable.ts';
import type {
  RerunCompletion,
  RerunCounts,
  RerunJudgement,
  RerunJudgeSpec,
  RerunState,
  RerunTarget,
  RerunVerdict,
  UploadedItem,
} from '../wire/reruns.ts';
import type { JobOwner, Repository } from './rows.ts';

/** Reruns with their items, all as rows. The narrower questions are absent where the rows are in memory. */
export interface RerunRepository extends Repository<RerunRow> {
  /** The reruns alone, oldest first. */
  listReruns?(): Awaitable<readonly StoredRerun[]>;
  /** The rows of one rerun beside itself, in the order in which they were inserted. */
  listPartsOf?(rerunId: string): Awaitable<readonly RerunPart[]>;
}

export type RerunRow = StoredRerun | RerunPart;
export type RerunPart = StoredRerunItem | StoredRerunUpload;

/** A rerun: what it is to do, and how far it is. Money in billionths of a dollar. */
export interface StoredRerun {
  readonly id: string;
  readonly kind: 'rerun';
  readonly name: string | null;
  readonly createdAt: string;
  /** Name of the principal that created it. */
  readonly createdBy: string;
  readonly owner: JobOwner;
  readonly targets: readonly RerunTarget[];
  readonly judges: readonly RerunJudgeSpec[];
  readonly concurrency: number;
  readonly maxCostNanoUsd: number;
  readonly items: number;
  readonly state: RerunState;
  /** Why it is paused or has failed. */
  readonly reason: string | null;
  /** As the items say; they are what counts. */
  readonly counts: RerunCounts;
  readonly spentNanoUsd: number;
  readonly judgeNanoUsd: number;
  readonly lostNanoUsd: number;
  /** The process that runs it, among several at one store, and until when. */
  readonly lease?: { readonly ownerId: string; readonly untilMs: number } | null | undefined;
}

/** One call that is run again against one target. */
export interface StoredRerunItem {
  readonly id: string;
  readonly kind: 'item';
  readonly rerunId: string;
  /** Place in the set, from 0. */
  readonly index: number;
  /** Place of the target, from 0. */
  readonly target: number;
  /** The original; null for an uploaded request. */
  readonly generationId: string | null;
  readonly original: RerunFigures | null;
  readonly state: 'pending' | 'running' | 'done' | 'failed';
  /** Why it has failed. */
  readonly reason: string | null;
  /** Every call made for it, in order: noted before it is sent. */
  readonly calls: readonly RerunCall[];
  readonly figures: RerunFigures | null;
  readonly verdicts: readonly RerunJudgement[];
  readonly person: { readonly verdict: RerunVerdict; readonly note: string | null; readonly by: string } | null;
}

/** A call made for an item. */
export interface RerunCall {
  /** `completion`, or the place of a judge and the order it was asked in: `judge 0 forward`. */
  readonly purpose: string;
  readonly generationId: string;
  /** The most that it may cost. */
  readonly reservedNanoUsd: number;
  /** What it has cost; null while that is not known. */
  readonly costNanoUsd: number | null;
  /** The end of its process has ended it: one that was not recorded may have cost all that was reserved. */
  readonly isLost?: true | undefined;
}

export interface RerunFigures {
  readonly costNanoUsd: number;
  readonly latencyMs: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A request that was uploaded with a rerun. */
export interface StoredRerunUpload {
  readonly id: string;
  readonly kind: 'upload';
  readonly rerunId: string;
  readonly index: number;
  readonly request: UploadedItem['request'];
  readonly completion: RerunCompletion | null;
}

/** Ids sort as the items do, and are not to be told from an upload's by chance. */
export const rerunItemId = (rerunId: string, index: number, target: number): string =>
  `${rerunId}.${String(index).padStart(5, '0')}-${target}`;

export const rerunUploadId = (rerunId: string, index: number): string =>
  `${rerunId}.${String(index).padStart(5, '0')}-request`;

/** All reruns, oldest first. */
export async function listReruns(reruns: RerunRepository): Promise<readonly StoredRerun[]> {
  if (reruns.listReruns !== undefined) return reruns.listReruns();
  return (await reruns.list()).filter((row) => row.kind === 'rerun');
}

/** The items and uploads of a rerun. */
export async function listPartsOf(rerunId: string, reruns: RerunRepository): Promise<readonly RerunPart[]> {
  if (reruns.listPartsOf !== undefined) return reruns.listPartsOf(rerunId);
  return (await reruns.list()).filter((row): row is RerunPart => row.kind !== 'rerun' && row.rerunId === rerunId);
}

/** A rerun by its id; undefined for an unknown one, and for the id of one of its rows. */
export async function findRerun(id: string, reruns: Pick<RerunRepository, 'get'>): Promise<StoredRerun | undefined> {
  const row = await reruns.get(id);
  return row?.kind === 'rerun' ? row : undefined;
}

/** Changes a rerun; undefined for an unknown one. */
export async function updateRerun(
  id: string,
  reruns: Pick<RerunRepository, 'update'>,
  change: (rerun: StoredRerun) => StoredRerun,
): Promise<StoredRerun | undefined> {
  const row = await reruns.update(id, (latest) => (latest.kind === 'rerun' ? change(latest) : latest));
  return row?.kind === 'rerun' ? row : undefined;
}
