import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import {
  appOf,
  count,
  costOf,
  type Counted as Figures,
  dayBefore,
  dayIn,
  groupBy,
  percentile,
  startOfDay,
} from '../support/recount/count-calls.ts';
import { ALL_CALLS, DAY_MS, KEYS, MEMBERS, NOW, type RecountCall, ZONES } from '../support/recount/random-calls.ts';
import {
  type Counted,
  type CountedPage,
  readCells,
  readGrid,
  readText,
  startCounted,
} from '../support/recount/start-counted.ts';
import {
  change,
  compact,
  duration,
  rounded,
  share,
  speed,
  usd,
  usdInColumn,
  whole,
} from '../support/recount/write-numbers.ts';

const HOUR_MS = 3_600_000;
const compared = new Map<string, number>();
let counted: Counted;

interface Span {
  readonly range: string;
  /** The span in the address, where it has no name. */
  readonly address?: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly before: readonly [fromMs: number, toMs: number];
  readonly bucketMs: number;
  /** Of the first and the last bucket. */
  readonly beginMs: number;
  readonly endMs: number;
}

/** What the words for spans mean in a zone. */
function toSpans(zone: string): readonly Span[] {
  const day = dayIn(zone, NOW);
  const today = startOfDay(zone, day);
  const yesterday = startOfDay(zone, dayBefore(day));
  const last = (range: string, ms: number, bucketMs: number): Span => {
    const endMs = today + (Math.floor((NOW - today) / bucketMs) + 1) * bucketMs;
    const [fromMs, toMs] = [NOW - ms, NOW + 1];
    const beginMs = endMs - Math.ceil((endMs - fromMs) / bucketMs) * bucketMs;
    return { range, fromMs, toMs, before: [fromMs - (toMs - fromMs), fromMs], bucketMs, beginMs, endMs };
  };
  const wholeDay = (range: string, fromMs: number, toMs: number, before: Span['before']): Span => ({
    range,
    fromMs,
    toMs,
    before,
    bucketMs: HOUR_MS / 2,
    beginMs: fromMs,
    endMs: toMs,
  });
  // Buckets begin at round times of the clock that the zone had at the beginning.
  const own = (fromMs: number, toMs: number, bucketMs: number): Span => {
    const begin = startOfDay(zone, dayIn(zone, fromMs));
    const beginMs = begin + Math.floor((fromMs - begin) / bucketMs) * bucketMs;
    const endMs = beginMs + Math.ceil((toMs - beginMs) / bucketMs) * bucketMs;
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    return {
      range: 'a span of one’s own',
      address: `from=${from}&to=${to}`,
      fromMs,
      toMs,
      before: [fromMs - (toMs - fromMs), fromMs],
      bucketMs,
      beginMs,
      endMs,
    };
  };
  return [
    // Yesterday until the same time of the clock, which is a day before: clocks were changed earlier in that day.
    wholeDay('today', today, startOfDay(zone, '2026-03-10'), [yesterday, NOW - DAY_MS + 1]),
    wholeDay('yesterday', yesterday, today, [startOfDay(zone, dayBefore(dayBefore(day))), yesterday]),
    last('1h', HOUR_MS, 60_000),
    last('24h', DAY_MS, HOUR_MS / 2),
    last('7d', 7 * DAY_MS, 3 * HOUR_MS),
    last('30d', 30 * DAY_MS, DAY_MS),
    own(Date.parse('2026-03-07T22:17:05.123Z'), Date.parse('2026-03-09T03:00:00.500Z'), HOUR_MS / 2),
    own(Date.parse('2026-02-03T11:11:11Z'), Date.parse('2026-02-20T00:00:00Z'), 12 * HOUR_MS),
  ];
}

const within = (fromMs: number, toMs: number): RecountCall[] =>
  ALL_CALLS.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);

const toSpeed = (value: number | null): string =>
  value === null || value < 100 || value >= 10_000 ? compact(value) : rounded(value);

/** The line of figures: label, figure, and what is said below it. */
function toTiles(now: Figures, before: Figures, month: readonly [string, string]): string[][] {
  const money = (read: (figures: Figures) => number | null): [string, string] => {
    const [value, past] = [read(now), read(before)];
    return [value === null ? '—' : usd(value), change(value, past)];
  };
  const measured = (read: (figures: Figures) => number | null, write: (value: number | null) => string) => [
    write(read(now)),
    change(read(now), read(before)),
  ];
  const apart = [now.cancelled && `${now.cancelled} cancelled`, now.interrupted && `${now.interrupted} interrupted`];
  const failed = now.failed === 0 ? '0' : `${whole(now.failed)} ${share(now.failed, now.requests)}`;
  const saved = ({ promptTokens, savedNanoUsd }: Figures): number | null =>
    promptTokens === 0 && savedNanoUsd === 0 ? null : savedNanoUsd;
  return [
    ['Spend', ...money(({ nanoUsd }) => nanoUsd)],
    ['Requests', ...measured(({ requests }) => requests, whole)],
    ['Failed', failed, change(now.failed, before.failed) + apart.filter(Boolean).join(', ')],
    ['Duration p95', ...measured(({ durations }) => percentile(durations, 95), duration)],
    ['First token p50', ...measured(({ firstTokens }) => percentile(firstTokens, 50), duration)],
    ['Tokens/s p50', ...measured(({ speeds }) => percentile(speeds, 50), toSpeed)],
    ['Saved by cache', ...money(saved)],
    ['Month to date', ...month],
  ];
}

/** Spending since the first of the month, and what it comes to at that pace. */
function toMonth(zone: string, calls: readonly RecountCall[]): [string, string] {
  const begin = startOfDay(zone, '2026-03-01');
  const end = startOfDay(zone, '2026-04-01');
  const spent = costOf(calls.filter(({ atMs }) => atMs >= begin));
  return [usd(spent), `on track for ${usd(Math.round((spent * (end - begin)) / (NOW - begin)))}`];
}

const readTiles = async ({ page }: CountedPage): Promise<string[][]> => {
  const tiles = await readCells(page, 'section[aria-labelledby=activity-title] dl > div', 'dt, dd');
  // Drawn from the bottom to the top.
  return tiles.map((tile) => tile.toReversed());
};

/** How each chart writes what it shows of a bucket; null where nothing is known, and what is nothing. */
type Cell = readonly [text: string, isNothing: boolean];
const cell = (value: number | null, write: (value: number) => string): Cell =>
  value === null ? ['—', true] : [write(value), value === 0];
const part = (of: number, all: number): Cell => (all === 0 ? ['—', true] : [share(of, all), of === 0]);
const CHARTS: readonly (readonly [title: string, read: (figures: Figures, all: Figures) => readonly Cell[]])[] = [
  ['Cost', ({ nanoUsd }) => [cell(nanoUsd, usd)]],
  [
    'Requests',
    (figures, all) => [
      cell(figures.requests - figures.failed - figures.cancelled - figures.interrupted, whole),
      ...(['cancelled', 'interrupted', 'failed'] as const).flatMap((name) =>
        all[name] === 0 ? [] : [cell(figures[name], whole)],
      ),
    ],
  ],
  ['Error rate', ({ failed, requests }) => [part(failed, requests)]],
  ['Duration', ({ durations }) => [50, 95, 99].map((percent) => cell(percentile(durations, percent), duration))],
  [
    'Time to first token',
    ({ firstTokens }) => [50, 95].map((percent) => cell(percentile(firstTokens, percent), duration)),
  ],
  ['Tokens per second', ({ speeds }) => [cell(percentile(speeds, 50), speed)]],
  ['Retries', ({ retries }) => [cell(retries, whole)]],
  ['Cache share', ({ cachedTokens, promptTokens }) => [part(cachedTokens, promptTokens)]],
  ['Saved by cache', ({ savedNanoUsd }) => [cell(savedNanoUsd, usd)]],
];

/** The tables of all charts: a row for each bucket in which something is known that is not nothing. */
function toChartRows(
  { beginMs, endMs, bucketMs }: Span,
  calls: readonly RecountCall[],
): (readonly [string, string[][]])[] {
  const buckets: RecountCall[][] = Array.from({ length: Math.ceil((endMs - beginMs) / bucketMs) }, () => []);
  for (const call of calls) buckets[Math.floor((call.atMs - beginMs) / bucketMs)]?.push(call);
  const all = count(calls);
  const figures = buckets.map(count);
  return CHARTS.map(([title, read]) => [
    title,
    figures
      .map((bucket) => read(bucket, all))
      .filter((cells) => cells.some(([, isNothing]) => !isNothing))
      .map((cells) => cells.map(([text]) => text)),
  ]);
}

/** Shows the charts as tables, too. */
async function openTables(page: CountedPage['page']): Promise<void> {
  await page
    .getByRole('button', { name: /^Table of / })
    .first()
    .waitFor();
  await page.evaluate(
    `for (const button of document.querySelectorAll('[aria-labelledby=activity-title] button[aria-pressed=false]')) if (/^Table of /.test(button.textContent)) button.click()`,
  );
}

const readChartRows = (page: CountedPage['page']): Promise<(readonly [string, string[][]])[]> =>
  Promise.all(
    CHARTS.map(
      async ([title]) => [title, await readCells(page, `[aria-label="${title}, as a table"] tbody tr`, 'td')] as const,
    ),
  );

/** The properties by which the overview splits calls, and the names of their values. */
const keyName = (hash: string): string => KEYS.find((key) => key.hash === hash)?.name ?? `${hash.slice(0, 8)}…`;
const SPLITS: Readonly<Record<string, (call: RecountCall) => string>> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider ?? 'no provider',
  key: ({ key }) => keyName(key),
  member: ({ member }) => MEMBERS.find(({ id }) => id === member)?.name ?? 'no member',
  app: (call) =>
    appOf(call)
      ?.replace(/^https:\/\//, '')
      .replace(/\/$/, '') ?? 'no app',
  session: ({ session }) => session ?? 'no session',
};
const NAMED = 8;

/** The table of a split: the dearest values, and all others together. */
function toSplitRows(calls: readonly RecountCall[], nameOf: (call: RecountCall) => string): string[][] {
  const ranked = [...groupBy(calls, nameOf)].toSorted(
    ([one, left], [other, right]) =>
      costOf(right) - costOf(left) || right.length - left.length || (one < other ? -1 : 1),
  );
  const others = ranked.slice(NAMED);
  const rest = others.length === 1 ? '1 other' : `${others.length} others`;
  const rows = [
    ...ranked.slice(0, NAMED),
    ...(others.length > 0 ? [[rest, others.flatMap(([, own]) => own)] as const] : []),
  ];
  return rows.map(([name, own]) => {
    const figures = count(own);
    const middle = percentile(figures.speeds, 50);
    return [
      name,
      usdInColumn(figures.nanoUsd),
      whole(figures.requests),
      share(figures.failed, figures.requests),
      duration(percentile(figures.durations, 95)),
      duration(percentile(figures.firstTokens, 50)),
      middle === null || middle >= 10_000 ? compact(middle) : rounded(middle),
      share(figures.cachedTokens, figures.promptTokens),
    ];
  });
}

describe.skipIf(skipped !== undefined)(
  `the numbers of the overview${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 240_000 },
  () => {
    beforeAll(async () => {
      counted = await startCounted(compared);
    });
    afterAll(async () => {
      await counted?.close();
      console.log(Object.fromEntries(compared));
    });

    test.each(ZONES)('are those of a recount over 5,000 calls, in %s', async (zone) => {
      const opened = await counted.open(zone);
      const { page, go, compare } = opened;
      const month = toMonth(zone, ALL_CALLS);
      const spans = toSpans(zone);
      const isToday = ({ atMs }: RecountCall): boolean => dayIn(zone, atMs) === dayIn(zone, NOW);
      for (const span of spans) {
        const calls = within(span.fromMs, span.toMs);
        expect(calls.length).toBeGreaterThan(20);
        await go(`#/?${span.address ?? `range=${span.range}`}&split=none`);
        const tiles = toTiles(count(calls), count(within(...span.before)), month);
        await compare(`figures of ${span.range}`, () => readTiles(opened), tiles);
        if (span.range === 'today')
          await compare(
            'spent today, at the top',
            () => readText(page, '[title^="Spent "]'),
            `today ${usd(costOf(ALL_CALLS.filter(isToday)))}`,
          );
        await openTables(page);
        await compare(`charts of ${span.range}`, () => readChartRows(page), toChartRows(span, calls));
      }
      // These depend on no clock: once is enough.
      if (zone !== ZONES[0]) return;
      const [key] = KEYS;
      const pages: readonly (readonly [address: string, isIn: (call: RecountCall) => boolean])[] = [
        [`keys/${key.hash}`, (call) => call.key === key.hash],
        ['members/user-ada', ({ member }) => member === 'user-ada'],
        ['providers/acme', ({ provider }) => provider === 'Acme'],
        ['models/author-0/model-0', ({ model }) => model === 'author-0/model-0'],
      ];
      for (const [address, isIn] of pages) {
        const [now, before] = [within(NOW - DAY_MS, NOW + 1), within(NOW - 2 * DAY_MS - 1, NOW - DAY_MS)];
        await go(`#/${address}`);
        const tiles = toTiles(
          count(now.filter(isIn)),
          count(before.filter(isIn)),
          toMonth(zone, ALL_CALLS.filter(isIn)),
        );
        await compare(`figures of one of the ${address.split('/')[0]}`, () => readTiles(opened), tiles);
      }
      for (const [split, nameOf] of Object.entries(SPLITS)) {
        await go(`#/?range=30d&split=${split}`);
        const rows = toSplitRows(within(NOW - 30 * DAY_MS, NOW + 1), nameOf);
        await compare(
          `split by ${split}`,
          () => readCells(page, 'table[aria-label^="Figures by"] tbody tr', 'th, td'),
          rows,
        );
      }
    });

    // What the keys have spent is always by the days of UTC: set to it, all screens mean one and the same day.
    test.each(['America/New_York', 'Asia/Kolkata'])(
      'agree on one day where UTC is set, in a browser in %s',
      async (zone) => {
        const opened = await counted.open(zone, 'utc');
        const { page, go, compare } = opened;
        const isToday = ({ atMs }: RecountCall): boolean => dayIn('UTC', atMs) === dayIn('UTC', NOW);
        const calls = ALL_CALLS.filter(isToday);
        // Elsewhere the day has other calls.
        expect(ALL_CALLS.filter(({ atMs }) => dayIn(zone, atMs) === dayIn(zone, NOW)).length).not.toBe(calls.length);
        const [today] = toSpans('UTC');
        if (today === undefined) return;
        await go('#/?range=today&split=none');
        const tiles = toTiles(count(calls), count(within(...today.before)), toMonth('UTC', ALL_CALLS));
        await compare('figures of today, set to UTC', () => readTiles(opened), tiles);
        const spent = `today ${usd(costOf(calls))}`;
        await compare('spent today, at the top', () => readText(page, '[title^="Spent "]'), spent);
        await openTables(page);
        await compare('charts of today, set to UTC', () => readChartRows(page), toChartRows(today, calls));

        await go('#/generations?range=today');
        const found = `${whole(calls.length)} found`;
        await compare('requests of today, set to UTC', () => readText(page, 'main span[role=status]'), found);
        await go('#/generations?group=day&range=today');
        await compare('requests by day, set to UTC', async () => (await readGrid(page, [1])).flat(), [
          whole(calls.length),
        ]);

        await go('#/keys');
        const byName = ([one = '']: string[], [other = '']: string[]): number => (one < other ? -1 : 1);
        const stored = KEYS.filter(({ name }) => name !== null);
        const readKeys = async (): Promise<string[][]> =>
          (await readGrid(page, [0, 1]))
            .flatMap(([text = '', cell = '']) => {
              const key = stored.find(({ name }) => text.startsWith(name ?? ''));
              return key === undefined ? [] : [[key.name ?? '', cell]];
            })
            .toSorted(byName);
        const spentBy = (hash: string): number => costOf(calls.filter((call) => call.key === hash && !call.isByok));
        await compare(
          'keys of today, set to UTC',
          readKeys,
          stored.map(({ name, hash }) => [name ?? '', usdInColumn(spentBy(hash))]).toSorted(byName),
        );
      },
    );
  },
);
