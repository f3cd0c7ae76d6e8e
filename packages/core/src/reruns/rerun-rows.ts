import { toGenerationFacts } from '../stores/kit/filters.ts';
import type { RerunFigures, StoredRerunItem } from '../stores/reruns.ts';
import type { GenerationRecord, GenerationRepository } from '../stores/store.ts';
import type { RerunCounts, RerunVerdict } from '../wire/reruns.ts';
import { joinVerdicts } from './judge-by-code.ts';

/** What the purpose of a call begins with that is a judge's. */
export const JUDGE_PURPOSE = 'judge ';
/** The purpose of the call that is the item itself. */
export const COMPLETION_PURPOSE = 'completion';

/** What the items of a rerun add up to. Billionths of a dollar. */
interface ItemSums {
  readonly counts: RerunCounts;
  /** Lost calls count with all that was reserved for them. */
  readonly spentNanoUsd: number;
  readonly judgeNanoUsd: number;
  readonly lostNanoUsd: number;
}

export function sumItems(items: Iterable<StoredRerunItem>): ItemSums {
  const counts = { total: 0, pending: 0, running: 0, done: 0, failed: 0 };
  let spentNanoUsd = 0;
  let judgeNanoUsd = 0;
  let lostNanoUsd = 0;
  for (const { state, calls } of items) {
    counts.total += 1;
    counts[state] += 1;
    for (const { purpose, reservedNanoUsd, costNanoUsd, isLost } of calls) {
      const cost = costNanoUsd ?? (isLost === true ? reservedNanoUsd : 0);
      spentNanoUsd += cost;
      if (isLost === true) lostNanoUsd += cost;
      else if (purpose.startsWith(JUDGE_PURPOSE)) judgeNanoUsd += cost;
    }
  }
  return { counts, spentNanoUsd, judgeNanoUsd, lostNanoUsd };
}

/** What the judges of an item's own model calls have cost. */
export const judgeCostOf = ({ calls }: StoredRerunItem): number =>
  calls.reduce(
    (sum, { purpose, costNanoUsd }) => sum + (purpose.startsWith(JUDGE_PURPOSE) ? (costNanoUsd ?? 0) : 0),
    0,
  );

/** The verdict that counts: that of a person, or else of the judges together. */
export const verdictOf = ({ person, verdicts }: StoredRerunItem): RerunVerdict | null =>
  person?.verdict ?? joinVerdicts(verdicts);

/** The generation of an item's own call; undefined before there is one. */
export const completionCallOf = ({ calls }: StoredRerunItem) =>
  calls.find(({ purpose, isLost }) => purpose === COMPLETION_PURPOSE && isLost !== true);

export function toRerunFigures(record: GenerationRecord): RerunFigures {
  const { costNanoUsd, durationMs, promptTokens, completionTokens } = toGenerationFacts(record);
  return {
    costNanoUsd,
    latencyMs: durationMs,
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
  };
}

/** What a recorded call has cost: where that is not known, at most what was reserved for it. */
export const costOfRecord = ({ generation, costNanoUsd }: GenerationRecord, reservedNanoUsd: number): number =>
  generation.cost_known && generation.interrupted !== true ? costNanoUsd : Math.max(costNanoUsd, reservedNanoUsd);

/** A generation that may have been appended a moment ago, by this process or by another. */
export const findRecord = async (
  id: string,
  generations: Pick<GenerationRepository, 'get' | 'getLate'>,
): Promise<GenerationRecord | undefined> => (await generations.get(id)) ?? (await generations.getLate?.(id));
