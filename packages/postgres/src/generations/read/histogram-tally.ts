import type { HistogramFigures } from '@model-gateway/core';

import type { SketchedRow } from '../rollup/read-sums.ts';
import { createSketch, type Sketch } from '../rollup/sketch.ts';

interface Sums {
  requests: number;
  failed: number;
  cancelled: number;
  interrupted: number;
  costNanoUsd: number;
}

interface Bucket extends Sums {
  readonly firstTokens: Sketch;
  readonly speeds: Sketch;
}

/** Figures of the buckets of a histogram, added up from sums. */
export interface Tally {
  /** Adds a row to its bucket. */
  add(row: SketchedRow): void;
  /** Adds another one, bucket by bucket, or takes it away. */
  addAll(other: Tally, sign: 1 | -1): void;
  read(): { total: HistogramFigures; buckets: HistogramFigures[] };
  readonly buckets: readonly Bucket[];
}

export function createTally(count: number): Tally {
  const buckets = Array.from({ length: count }, createBucket);
  return {
    buckets,
    add({ bucket: place, status, requests, cost_nano: cost, first_tokens: firstTokens, speeds }) {
      const bucket = buckets[place];
      if (bucket === undefined) return;
      bucket.requests += requests;
      bucket.costNanoUsd += cost;
      if (status === 'failed' || status === 'cancelled' || status === 'interrupted') bucket[status] += requests;
      if (firstTokens !== null) bucket.firstTokens.add(firstTokens);
      if (speeds !== null) bucket.speeds.add(speeds);
    },
    addAll(other, sign) {
      for (const [place, bucket] of other.buckets.entries()) addTo(buckets[place] as Bucket, bucket, sign);
    },
    read() {
      const total = createBucket();
      for (const bucket of buckets) addTo(total, bucket, 1);
      return { total: toFigures(total), buckets: buckets.map(toFigures) };
    },
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

const SUMS = ['requests', 'failed', 'cancelled', 'interrupted', 'costNanoUsd'] as const;

function addTo(bucket: Bucket, other: Bucket, sign: 1 | -1): void {
  for (const name of SUMS) bucket[name] += sign * other[name];
  bucket.firstTokens.addAll(other.firstTokens, sign);
  bucket.speeds.addAll(other.speeds, sign);
}

const toFigures = ({ firstTokens, speeds, ...sums }: Bucket): HistogramFigures => ({
  ...sums,
  firstTokenP50Ms: firstTokens.percentile(0.5),
  firstTokenP95Ms: firstTokens.percentile(0.95),
  tokensPerSecondP50: speeds.percentile(0.5),
});
