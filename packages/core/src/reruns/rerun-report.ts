import { toUsd } from '../foundation/money.ts';
import type { RerunFigures, StoredRerun, StoredRerunItem, StoredRerunUpload } from '../stores/reruns.ts';
import type { Store } from '../stores/store.ts';
import {
  type Rerun,
  type RerunCompletion,
  type RerunItem,
  type RerunOutcomes,
  type RerunPair,
  type RerunTargetReport,
  type RerunVerdict,
} from '../wire/reruns.ts';
import { bootstrapMean, percentileOf } from './bootstrap.ts';
import { toRerunCompletion } from './rerun-request.ts';
import { completionCallOf, judgeCostOf, verdictOf } from './rerun-rows.ts';

/** A rerun as the API shows it. */
export function toRerun(rerun: StoredRerun): Rerun {
  return {
    id: rerun.id,
    name: rerun.name,
    state: rerun.state,
    reason: rerun.reason,
    created_at: rerun.createdAt,
    created_by: rerun.createdBy,
    run_as_key: rerun.owner.isKey ? { hash: rerun.owner.id, name: rerun.owner.name } : null,
    items: rerun.items,
    targets: [...rerun.targets],
    judges: [...rerun.judges],
    concurrency: rerun.concurrency,
    max_cost_usd: toUsd(rerun.maxCostNanoUsd),
    spent_usd: toUsd(rerun.spentNanoUsd),
    judge_cost_usd: toUsd(rerun.judgeNanoUsd),
    lost_usd: toUsd(rerun.lostNanoUsd),
    counts: rerun.counts,
  };
}

/** What became of each target, in their order. The same items always give the same report. */
export function reportTargets(
  { targets }: Pick<StoredRerun, 'targets'>,
  items: readonly StoredRerunItem[],
): RerunTargetReport[] {
  return targets.map(({ model, provider = null, preset = null, preset_version: version = null }, target) => {
    const own = items.filter((item) => item.target === target).toSorted((a, b) => a.index - b.index);
    const done = own.filter(({ state }) => state === 'done');
    const failed = own.filter(({ state }) => state === 'failed');
    return {
      target,
      model,
      provider,
      preset,
      preset_version: version,
      done: done.length,
      errors: failed.length,
      error_reasons: countReasons(failed),
      outcomes: toOutcomes(done, target),
      judges: countByJudge(done),
      figures: sumFigures(done.map(({ figures }) => figures)),
      original_figures: sumFigures(done.map(({ original }) => original)),
      judge_cost_usd: toUsd(own.reduce((sum, item) => sum + judgeCostOf(item), 0)),
    };
  });
}

/** An arbitrary number: with it the same verdicts have the same intervals. */
const SEED = 20_261_128;

function toOutcomes(items: readonly StoredRerunItem[], target: number): RerunOutcomes {
  const verdicts = items.flatMap((item) => verdictOf(item) ?? []);
  const shareOf = (verdict: RerunVerdict) => {
    const hits = verdicts.map((other) => (other === verdict ? 1 : 0));
    const interval = bootstrapMean(hits, SEED + target);
    return {
      count: hits.filter((hit) => hit === 1).length,
      share: interval?.mean ?? null,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    };
  };
  return { win: shareOf('win'), tie: shareOf('tie'), loss: shareOf('loss'), judged: verdicts.length };
}

function countByJudge(items: readonly StoredRerunItem[]): RerunTargetReport['judges'] {
  const counts = new Map<string, Record<RerunVerdict, number>>();
  const countFor = (judge: string): Record<RerunVerdict, number> => {
    const known = counts.get(judge) ?? { win: 0, tie: 0, loss: 0 };
    counts.set(judge, known);
    return known;
  };
  for (const { verdicts, person } of items) {
    for (const { judge, verdict } of verdicts) if (verdict !== null) countFor(judge)[verdict] += 1;
    if (person !== null) countFor('person')[person.verdict] += 1;
  }
  return [...counts].map(([judge, count]) => ({ judge, ...count }));
}

const MAX_REASONS = 5;

function countReasons(failed: readonly StoredRerunItem[]): RerunTargetReport['error_reasons'] {
  const counts = new Map<string, number>();
  for (const { reason } of failed) counts.set(reason ?? '', (counts.get(reason ?? '') ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_REASONS);
}

function sumFigures(all: readonly (RerunFigures | null)[]): RerunTargetReport['figures'] {
  const known = all.filter((figures) => figures !== null);
  const latencies = Float64Array.from(known.flatMap(({ latencyMs }) => latencyMs ?? [])).sort();
  const latencyAt = (share: number): number | null => (latencies.length === 0 ? null : percentileOf(latencies, share));
  return {
    cost_usd: toUsd(known.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0)),
    latency_p50_ms: latencyAt(0.5),
    latency_p95_ms: latencyAt(0.95),
    prompt_tokens: known.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
    completion_tokens: known.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
  };
}

/** An item as the API shows it. Its name is that of its row without that of its rerun. */
export function toRerunItem(item: StoredRerunItem): RerunItem {
  return {
    item: item.id.slice(item.rerunId.length + 1),
    target: item.target,
    state: item.state,
    reason: item.reason,
    original_generation_id: item.generationId,
    generation_id: completionCallOf(item)?.generationId ?? null,
    verdict: verdictOf(item),
    verdicts: [...item.verdicts],
    person: item.person,
    cost_usd: item.figures === null ? null : toUsd(item.figures.costNanoUsd),
    latency_ms: item.figures?.latencyMs ?? null,
  };
}

/** An item with both completions, as far as they are stored. `uploads`: those of its rerun, by their places. */
export async function readPair(
  item: StoredRerunItem,
  uploads: ReadonlyMap<number, StoredRerunUpload>,
  { store }: { readonly store: Pick<Store, 'generations'> },
): Promise<RerunPair> {
  const read = async (id: string | null): Promise<RerunCompletion | null> => {
    const content = id === null ? undefined : await store.generations.getContent(id);
    return content === undefined ? null : toRerunCompletion(content);
  };
  const shown = toRerunItem(item);
  const isUploaded = item.generationId === null;
  const original = isUploaded ? (uploads.get(item.index)?.completion ?? null) : await read(item.generationId);
  return { ...shown, original, completion: await read(shown.generation_id) };
}

/** The columns of an export as CSV. */
const COLUMNS = [
  'item',
  'target',
  'model',
  'state',
  'reason',
  'verdict',
  'original_generation_id',
  'generation_id',
  'cost_usd',
  'latency_ms',
  'original',
  'completion',
] as const;

export const csvHead = (): string => `${COLUMNS.join(',')}\n`;

/** A line of CSV. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsvLine(pair: RerunPair, { targets }: Pick<StoredRerun, 'targets'>): string {
  const values = COLUMNS.map((column) => {
    if (column === 'model') return targets[pair.target]?.model ?? '';
    const value = pair[column];
    if (typeof value === 'object' && value !== null) return toText(value);
    return value ?? '';
  });
  return `${values.map(toCell).join(',')}\n`;
}

const toText = ({ text, tool_calls: calls }: RerunCompletion): string =>
  [text ?? '', ...calls.map(({ name, arguments: given }) => `${name}(${given})`)].filter(Boolean).join('\n');

function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
