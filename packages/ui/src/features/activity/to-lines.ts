import type { GenerationHistogram } from '@model-gateway/core/wire';

import { type ColorBook, OTHER_COLOR } from '../../parts/charts/assign-colors.ts';
import { quote } from '../generations/search/filter-text.ts';
import type { GenerationSearch } from '../generations/search/generation-search.ts';
import type { SpanFigures } from './figures-query.ts';
import { activityMessages } from './messages.ts';
import type { Split } from './overview-search.ts';

/** One value by which the calls are split, with its figures. */
export interface Line {
  readonly key: string;
  readonly label: string;
  /** A CSS variable. */
  readonly color: string;
  /** The filter of the list that leaves its calls alone; null where there is none. */
  readonly filter: GenerationSearch | null;
  readonly totals: GenerationHistogram['totals'];
  /** One for each bucket. */
  readonly data: readonly GenerationHistogram['totals'][];
}

/** The key of all values that are not named. */
export const OTHER = 'other:';

/** The values of a split in the order of the gateway, and the others together; empty without a split. */
export function toLines({ split, histogram }: SpanFigures, colors: ColorBook): Line[] {
  if (split === 'none' || histogram.split === undefined) return [];
  const colorOf = colors.colorsOf(histogram.split.map(({ value }) => toKey(split, value)));
  const lines = histogram.split.map(({ value, name, totals, data }): Line => {
    const key = toKey(split, value);
    return {
      key,
      label: toLabel(split, value, name),
      color: colorOf.get(key) ?? OTHER_COLOR,
      filter: toFilter(split, value),
      totals,
      data,
    };
  });
  const { other } = histogram;
  if (other == null) return lines;
  const label = activityMessages().others(other.values);
  const { totals, data } = other;
  const filter = toOtherFilter(
    split,
    histogram.split.map(({ value }) => value),
  );
  return [...lines, { key: OTHER, label, color: OTHER_COLOR, filter, totals, data }];
}

const toKey = (split: Split, value: string | null): string => `${split}:${value ?? ''}`;

function toLabel(split: Split, value: string | null, name: string | null): string {
  if (value === null) return activityMessages().without[split];
  if (name !== null) return name;
  if (split === 'key') return `${value.slice(0, 8)}…`;
  return split === 'app' ? value.replace(/^https?:\/\//, '').replace(/\/$/, '') : value;
}

/** Longest line of conditions that the gateway reads. */
const MAX_WHERE = 2000;

/** All but the named ones, in the filter language; null if it cannot express that. */
function toOtherFilter(split: Split, named: readonly (string | null)[]): GenerationSearch | null {
  if (split === 'none') return null;
  const values = named.filter((value) => value !== null);
  // Any text but these: a star in one of them would leave out more.
  if (values.some((value) => value.includes('*'))) return null;
  const conditions = [
    ...(named.includes(null) ? [`${split}:*`] : []),
    ...(values.length > 0 ? [`-${split}:${values.map(quote).join(',')}`] : []),
  ];
  const where = conditions.join(' ');
  return where.length > MAX_WHERE ? null : { where };
}

function toFilter(split: Split, value: string | null): GenerationSearch | null {
  // A comma separates values in all filters but that of sessions.
  const isSayable = split === 'session' || value?.includes(',') !== true;
  return split === 'none' || !isSayable ? null : { [split]: value ?? 'none' };
}
