import type { GuardrailHitsRow } from '../../stores/rows.ts';
import { GUARDRAIL_EFFECTS, type GuardrailHitCounts, type GuardrailHitList } from '../../wire/guardrails.ts';

export interface HitsSpan {
  /** Beginning of an hour in UTC, or of a day where a bucket is one. */
  readonly startMs: number;
  readonly bucketMs: number;
  readonly buckets: number;
  /** Is in the result although it did nothing. */
  readonly guardrailId: string | undefined;
}

interface Sum {
  readonly totals: GuardrailHitCounts;
  readonly buckets: readonly GuardrailHitCounts[];
}

const HOUR_MS = 60 * 60 * 1000;

/** Adds rows up by guardrail and time. */
export function sumHits(rows: readonly GuardrailHitsRow[], span: HitsSpan): GuardrailHitList['data'] {
  const { startMs, bucketMs, buckets, guardrailId: always } = span;
  const sums = new Map<string, Sum>();
  const sumOf = (id: string): Sum => {
    const sum = sums.get(id) ?? { totals: toNone(), buckets: Array.from({ length: buckets }, toNone) };
    sums.set(id, sum);
    return sum;
  };
  if (always !== undefined) sumOf(always);
  for (const { guardrailId, day, hours } of rows) {
    for (const [hour, counts] of Object.entries(hours)) {
      const at = Math.floor((Date.parse(day) + Number(hour) * HOUR_MS - startMs) / bucketMs);
      if (at < 0 || at >= buckets) continue;
      const { totals, buckets: parts } = sumOf(guardrailId);
      for (const effect of GUARDRAIL_EFFECTS) {
        const number = counts[effect] ?? 0;
        totals[effect] += number;
        (parts[at] as GuardrailHitCounts)[effect] += number;
      }
    }
  }
  return [...sums].map(([id, sum]) => ({ guardrail_id: id, totals: sum.totals, buckets: [...sum.buckets] }));
}

const toNone = (): GuardrailHitCounts => ({
  blocked: 0,
  redacted: 0,
  flagged: 0,
  narrowed: 0,
  unserved: 0,
  over_budget: 0,
});
