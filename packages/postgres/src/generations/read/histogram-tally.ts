import type { HistogramFigures } from '@model-gateway/core';

import type { SketchedRow } from '../rollup/read-sums.ts';
import { createSketch, type Sketch } from '../rollup/sketch.ts';

interface Bucket {
  requests: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  costNanoUsd: number;
  readonly firstTokens: Sketch;
  readonly speeds: Sketch;
}

/** Figures of the buckets of a histogram, added up from sums. */
export interface Tally {
  /** Adds a row to its bucket, or takes it away. */
  add(row: SketchedRow, sign?: 1 | -1): void;
  read(): { total: HistogramFigures; buckets: HistogramFigures[] };
}

export function createTally(buckets: number): Tally {
  const all = createBucket();
  const each = Array.from({ length: buckets }, createBucket);
  return {
    add(row, sign = 1) {
      const bucket = each[row.bucket];
      if (bucket === undefined) return;
      addTo(bucket, row, sign);
      addTo(all, row, sign);
    },
    read: () => ({ total: toFigures(all), buckets: each.map(toFigures) }),
  };
}

const createBucket = (): Bucket => ({
  requests: 0,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  costNanoUsd: 0,
  firstTokens: createSketch(),
  speeds: createSketch(),
});

function addTo(
  bucket: Bucket,
  { status, requests, cost_nano: cost, first_tokens, speeds }: SketchedRow,
  sign: 1 | -1,
): void {
  bucket.requests += sign * requests;
  bucket.costNanoUsd += sign * cost;
  if (status === 'failed' || status === 'cancelled' || status === 'interrupted') bucket[status] += sign * requests;
  bucket.firstTokens.add(first_tokens, sign);
  bucket.speeds.add(speeds, sign);
}

const toFigures = ({ firstTokens, speeds, ...sums }: Bucket): HistogramFigures => ({
  ...sums,
  firstTokenP50Ms: firstTokens.percentile(0.5),
  firstTokenP95Ms: firstTokens.percentile(0.95),
  tokensPerSecondP50: speeds.percentile(0.5),
});
