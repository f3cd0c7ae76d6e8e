import type { HistogramFigures } from '@model-gateway/core';

import type { SketchedRow } from '../rollup/read-sums.ts';
import { createSketches, type Sketches } from '../rollup/sketch.ts';

interface Sums {
  requests: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  costNanoUsd: number;
}

/** Figures of the buckets of a histogram, added up from sums. */
export interface Tally {
  /** Adds a row to its bucket. */
  add(row: SketchedRow): void;
  /** Takes another one away, bucket by bucket. */
  subtract(other: Tally): void;
  /** Empties it for the next figures. */
  clear(): void;
  read(): { total: HistogramFigures; buckets: HistogramFigures[] };
  readonly sums: readonly Sums[];
  readonly firstTokens: Sketches;
  readonly speeds: Sketches;
}

export function createTally(count: number): Tally {
  const sums = Array.from({ length: count }, createSums);
  const firstTokens = createSketches(count);
  const speeds = createSketches(count);
  return {
    sums,
    firstTokens,
    speeds,
    add(row) {
      const bucket = sums[row.bucket];
      if (bucket === undefined) return;
      bucket.requests += row.requests;
      bucket.failed += row.failed;
      bucket.cancelled += row.cancelled;
      bucket.interrupted += row.interrupted;
      bucket.costNanoUsd += row.cost_nano;
      if (row.first_tokens !== null) firstTokens.add(row.bucket, row.first_tokens);
      if (row.speeds !== null) speeds.add(row.bucket, row.speeds);
    },
    subtract(other) {
      for (const [place, bucket] of other.sums.entries()) addTo(sums[place] as Sums, bucket, -1);
      firstTokens.subtract(other.firstTokens);
      speeds.subtract(other.speeds);
    },
    clear() {
      for (const bucket of sums) Object.assign(bucket, createSums());
      firstTokens.clear();
      speeds.clear();
    },
    read() {
      const total = createSums();
      for (const bucket of sums) addTo(total, bucket, 1);
      return {
        total: toFigures(total, 0, { firstTokens: firstTokens.toTotal(), speeds: speeds.toTotal() }),
        buckets: sums.map((bucket, place) => toFigures(bucket, place, { firstTokens, speeds })),
      };
    },
  };
}

const createSums = (): Sums => ({ requests: 0, failed: 0, cancelled: 0, interrupted: 0, costNanoUsd: 0 });

const SUMS = ['requests', 'failed', 'cancelled', 'interrupted', 'costNanoUsd'] as const;

function addTo(bucket: Sums, other: Sums, sign: 1 | -1): void {
  for (const name of SUMS) bucket[name] += sign * other[name];
}

const toFigures = (
  sums: Sums,
  place: number,
  { firstTokens, speeds }: Pick<Tally, 'firstTokens' | 'speeds'>,
): HistogramFigures => ({
  ...sums,
  firstTokenP50Ms: firstTokens.percentile(place, 0.5),
  firstTokenP95Ms: firstTokens.percentile(place, 0.95),
  tokensPerSecondP50: speeds.percentile(place, 0.5),
});
