import type { GenerationFilter, GenerationSplit } from '@model-gateway/core';

import { type Dimension, isDimension } from '../rollup/read-sums.ts';

/** Members of a filter of which sums are kept, with their dimension. */
const DIMENSION_OF = {
  models: 'model',
  providerNames: 'provider',
  principalIds: 'key',
  userIds: 'member',
  apps: 'app',
} as const;
/** What every sum tells apart. */
const ALWAYS = new Set(['createdFromMs', 'createdBeforeMs', 'statuses']);

/**
 * The one dimension that a filter and a split are about, `''` without any; undefined where they are about several, or
 * about something of which no sums are kept.
 */
export function toOneDimension(filter: GenerationFilter, split?: GenerationSplit): Dimension | undefined {
  if (split !== undefined && !isDimension(split)) return undefined;
  const dimensions = new Set<Dimension>(split === undefined ? [] : [split]);
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined || ALWAYS.has(name) || isEmptyFilter(name, value)) continue;
    if (!Object.hasOwn(DIMENSION_OF, name)) return undefined;
    dimensions.add(DIMENSION_OF[name as keyof typeof DIMENSION_OF]);
  }
  if (dimensions.size > 1) return undefined;
  return [...dimensions][0] ?? '';
}

const isEmptyFilter = (name: string, value: unknown): boolean =>
  (name === 'minCostNanoUsd' && value === 0) || (name === 'conditions' && Array.isArray(value) && value.length === 0);
