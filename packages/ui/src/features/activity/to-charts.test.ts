import { expect, test } from 'vitest';

import { createColorBook, OTHER_COLOR } from '../../parts/charts/assign-colors.ts';
import type { SpanFigures } from './figures-query.ts';
import type { Split } from './overview-search.ts';
import { sortLines } from './split-table.tsx';
import {
  type Figures,
  toCacheShareSeries,
  toCostSeries,
  toDurationSeries,
  toErrorRateSeries,
  toFirstTokenSeries,
  toRequestSeries,
  toRetrySeries,
  toSavedSeries,
  toSpeedSeries,
} from './to-charts.ts';
import { toLines } from './to-lines.ts';

const figures = (requests: number, more: Partial<Figures> = {}): Figures => ({
  requests,
  failed: 0,
  cancelled: 0,
  interrupted: 0,
  cost: requests / 10,
  first_token_p50: null,
  first_token_p95: null,
  tokens_per_second_p50: null,
  duration_p50: null,
  duration_p95: null,
  duration_p99: null,
  retries: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  cache_saved: 0,
  ...more,
});

const toPart = (value: string | null, name: string | null = null) => ({
  value,
  name,
  totals: figures(2, { first_token_p50: 300, tokens_per_second_p50: 40 }),
  data: [figures(2, { first_token_p50: 300, first_token_p95: 900, tokens_per_second_p50: 40 })],
});

function toSpan(split: Split, parts: ReturnType<typeof toPart>[], others = 0): SpanFigures {
  const total = figures(9, { failed: 2, interrupted: 1, first_token_p50: 300, first_token_p95: 900 });
  return {
    split,
    span: { fromMs: 0, toMs: 1000, isOpen: false, beginMs: 0, endMs: 1000, bucketMs: 1000 },
    histogram: {
      data: [{ start: '2026-03-01T00:00:00.000Z', ...total }],
      totals: total,
      from: '',
      to: '',
      bucket_ms: 1000,
      ...(split !== 'none' && { split: parts }),
      ...(split !== 'none' && {
        other: others === 0 ? null : { values: others, totals: figures(1), data: [figures(1)] },
      }),
    },
  };
}

test.each<[Split, string | null, string | null, string, object | null]>([
  ['model', 'acme/chat', null, 'acme/chat', { model: 'acme/chat' }],
  ['provider', null, null, 'no provider', { provider: 'none' }],
  ['key', '0123456789abcdef', null, '01234567…', { key: '0123456789abcdef' }],
  ['key', '0123456789abcdef', 'dev', 'dev', { key: '0123456789abcdef' }],
  ['app', 'https://app.example/', null, 'app.example', { app: 'https://app.example/' }],
  ['app', 'a,b', null, 'a,b', null],
  ['session', 'a,b', null, 'a,b', { session: 'a,b' }],
])('names a series by %s, with the filter of its calls', (split, value, name, label, filter) => {
  const [line] = toLines(toSpan(split, [toPart(value, name)]), createColorBook());
  expect(line).toMatchObject({ label, filter });
});

test('puts all others last, in a color of their own, with the filter that leaves out the named ones', () => {
  const lines = toLines(toSpan('model', [toPart('a')], 3), createColorBook());
  expect(lines.map(({ label, color, filter }) => [label, color === OTHER_COLOR, filter])).toEqual([
    ['a', false, { model: 'a' }],
    ['3 others', true, { where: '-model:a' }],
  ]);
});

test.each<[Split, readonly (string | null)[], object | null]>([
  ['model', ['acme/chat', 'acme/film'], { where: '-model:acme/chat,acme/film' }],
  ['provider', ['Acme', null, 'My Own'], { where: 'provider:* -provider:Acme,"My Own"' }],
  ['member', [null], { where: 'member:*' }],
  ['app', ['a, b'], { where: '-app:"a, b"' }],
  // Neither of these can be said.
  ['session', ['any*thing'], null],
  ['session', ['x'.repeat(2001)], null],
])('leads from the others by %s to the calls of all but %j', (split, values, filter) => {
  const lines = toLines(
    toSpan(
      split,
      values.map((value) => toPart(value)),
      3,
    ),
    createColorBook(),
  );
  expect(lines.at(-1)?.filter).toEqual(filter);
});

test('draws the series of a split in every chart in the same color, and failed requests as a line', () => {
  const span = toSpan('model', [toPart('a'), toPart('b')], 2);
  const lines = toLines(span, createColorBook());
  const charts = [toCostSeries, toRequestSeries, toFirstTokenSeries('p95'), toSpeedSeries].map((read) =>
    read(span, lines),
  );
  for (const series of charts) {
    for (const { key, color } of series) {
      if (key !== 'status:failed') expect(color).toBe(lines.find((line) => line.key === key)?.color);
    }
  }
  expect(charts.map((series) => series.map(({ label, shape, values }) => `${label} ${shape} ${values[0]}`))).toEqual([
    ['a bar 0.2', 'b bar 0.2', '2 others bar 0.1'],
    ['a bar 2', 'b bar 2', '2 others bar 1', 'failed line 2'],
    // The others have no first token and no speed.
    ['a line 900', 'b line 900'],
    ['a line 40', 'b line 40'],
  ]);
});

test.each<[string, Partial<Figures>, (number | null)[]]>([
  ['nothing known', { requests: 0 }, [null, null, 0, 0]],
  ['a quarter of failures', { requests: 8, failed: 2, cancelled: 3 }, [25, null, 0, 0]],
  ['a cache', { requests: 1, prompt_tokens: 200, cached_tokens: 50, cache_saved: 0.4 }, [0, 25, 0, 0.4]],
  ['retries', { requests: 4, retries: 3 }, [0, null, 3, 0]],
])('draws error rate, cache share, retries and savings of %s', (_, more, expected) => {
  const span = toSpan('none', []);
  const [first] = span.histogram.data;
  const data = [{ ...figures(1, more), start: first?.start ?? '' }];
  const charts = [toErrorRateSeries, toCacheShareSeries, toRetrySeries, toSavedSeries];
  expect(charts.map((read) => read({ ...span, histogram: { ...span.histogram, data } }, [])[0]?.values[0])).toEqual(
    expected,
  );
});

test('draws three percentiles of the duration, and with a split the chosen one', () => {
  const timed = { duration_p50: 100, duration_p95: 400, duration_p99: 900 };
  const span = toSpan('none', []);
  const data = [{ ...figures(1, timed), start: '2026-03-01T00:00:00.000Z' }];
  const read = toDurationSeries('p99');
  expect(
    read({ ...span, histogram: { ...span.histogram, data } }, []).map(({ label, values }) => [label, values[0]]),
  ).toEqual([
    ['p50', 100],
    ['p95', 400],
    ['p99', 900],
  ]);
  const part = { value: 'a', name: null, totals: figures(1, timed), data: [figures(1, timed)] };
  const split = { ...toSpan('model', []), histogram: { ...span.histogram, split: [part], other: null } };
  expect(read(split, toLines(split, createColorBook())).map(({ values }) => values[0])).toEqual([900]);
});

test('sorts the values of a split by any figure, with the unknown after the known and the others at the end', () => {
  const parts = [
    { ...toPart('slow'), totals: figures(1, { duration_p95: 900 }) },
    { ...toPart('unknown'), totals: figures(1) },
    { ...toPart('quick'), totals: figures(1, { duration_p95: 10 }) },
  ];
  const lines = toLines(toSpan('model', parts, 3), createColorBook());
  const sorted = (isRising: boolean): string[] =>
    sortLines(lines, (totals) => totals.duration_p95, isRising).map(({ label }) => label);
  expect(sorted(true)).toEqual(['quick', 'slow', 'unknown', '3 others']);
  expect(sorted(false)).toEqual(['slow', 'quick', 'unknown', '3 others']);
});

test('draws without a split how calls ended, and both percentiles', () => {
  const span = toSpan('none', []);
  const lines = toLines(span, createColorBook());
  expect(toRequestSeries(span, lines).map(({ label, values }) => [label, values[0]])).toEqual([
    ['ok', 6],
    ['interrupted', 1],
    ['failed', 2],
  ]);
  expect(toFirstTokenSeries('p50')(span, lines).map(({ label, values }) => [label, values[0]])).toEqual([
    ['p50', 300],
    ['p95', 900],
  ]);
});
