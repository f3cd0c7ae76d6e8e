import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import {
  appOf,
  costOf,
  count,
  dayBefore,
  dayIn,
  firstTokenOf,
  groupBy,
  percentile,
  speedOf,
  startOfDay,
} from '../support/recount/count-calls.ts';
import { ALL_CALLS, DAY_MS, KEYS, NOW, type RecountCall, ZONES } from '../support/recount/random-calls.ts';
import {
  type Counted,
  readCells,
  readFacts,
  readGrid,
  readText,
  startCounted,
} from '../support/recount/start-counted.ts';
import { compact, duration, speed, usd, usdExactly, usdInColumn, whole } from '../support/recount/write-numbers.ts';

const compared = new Map<string, number>();
let counted: Counted;

const keyName = (hash: string): string => KEYS.find((key) => key.hash === hash)?.name ?? `${hash.slice(0, 8)}…`;
const KEY = KEYS[1].hash;

/** A span of one's own. */
const OWN = { from: '2026-02-20T04:30:00.000Z', to: '2026-03-03T18:29:59.999Z' };

type Filter = (call: RecountCall) => boolean;

/** Filters of the list as in the address, with what they leave. */
const toFilters = (zone: string): readonly (readonly [address: string, leaves: Filter])[] => {
  const today = startOfDay(zone, dayIn(zone, NOW));
  const yesterday = startOfDay(zone, dayBefore(dayIn(zone, NOW)));
  return [
    ['range=today', ({ atMs }) => atMs >= today],
    ['range=yesterday', ({ atMs }) => atMs >= yesterday && atMs < today],
    ['range=24h', ({ atMs }) => atMs >= NOW - DAY_MS],
    [`from=${OWN.from}&to=${OWN.to}`, ({ atMs }) => atMs >= Date.parse(OWN.from) && atMs < Date.parse(OWN.to)],
    ['range=7d', ({ atMs }) => atMs >= NOW - 7 * DAY_MS],
    ['range=30d&status=failed,interrupted', ({ atMs, status }) => atMs >= NOW - 30 * DAY_MS && /^[fi]/.test(status)],
    ['model=author-0/model-0,author-1/model-1', ({ model }) => /-[01]$/.test(model)],
    ['provider=none', ({ provider }) => provider === null],
    [`key=${KEY}`, ({ key }) => key === KEY],
    ['member=user-ada', ({ member }) => member === 'user-ada'],
    ['app=https://shop.example/', (call) => appOf(call) === 'https://shop.example/'],
    ['min_cost=0.01&max_cost=0.05', ({ nanoUsd }) => nanoUsd >= 10_000_000 && nanoUsd <= 50_000_000],
  ];
};

const many = (number: number, one: string): string => `${whole(number)} ${one}${number === 1 ? '' : 's'}`;

/** What stands above the histogram. */
function toSummary(calls: readonly RecountCall[]): string {
  const { requests, failed, cancelled, interrupted, nanoUsd } = count(calls);
  const others = Object.entries({ cancelled, interrupted }).filter(([, number]) => number > 0);
  const ends = [`${whole(failed)} failed`, ...others.map(([name, number]) => `${whole(number)} ${name}`)];
  return [many(requests, 'request'), ...ends, usd(nanoUsd)].join(', ');
}

/** The values to choose from, each with how many requests it would leave under all other filters. */
function toFacets(address: string, leaves: Filter): string[][] {
  const given = new URLSearchParams(address);
  return (['status', 'model', 'provider', 'key'] as const).map((kind) => {
    const own = given.get(kind);
    const valueOf = (call: RecountCall): string | null => call[kind];
    // What the filter of the kind itself takes away is counted, too.
    const isLeft: Filter =
      own === null ? leaves : (call) => (given.has('range') ? call.atMs >= NOW - 30 * DAY_MS : true);
    const groups = groupBy(ALL_CALLS.filter(isLeft), valueOf);
    return [...groups].flatMap(([value, calls]) => {
      if (value === null) return [];
      return `${kind === 'key' ? keyName(value) : value} (${whole(calls.length)})`;
    });
  });
}

const HOUR_MS = 3_600_000;

/** The requests of the last day in equal steps, which begin at full hours of each zone. */
const toHistogramRows = (stepMs: number): string[][] => {
  const steps = groupBy(
    ALL_CALLS.filter(({ atMs }) => atMs >= NOW - DAY_MS),
    ({ atMs }) => Math.floor(atMs / stepMs),
  );
  return [...steps]
    .toSorted(([one], [other]) => one - other)
    .map(([, calls]) => {
      const { requests, failed, cancelled, interrupted, nanoUsd } = count(calls);
      return [whole(requests), whole(failed), whole(cancelled), whole(interrupted), usdInColumn(nanoUsd)];
    });
};

const weekday = (zone: string, day: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', month: 'short', day: 'numeric' }).format(
    startOfDay(zone, day),
  );

/** What requests are added up by, and the names of the groups. */
const toGroupings = (zone: string): Readonly<Record<string, (call: RecountCall) => string>> => ({
  model: ({ model }) => model,
  provider: ({ provider }) => provider ?? 'No provider',
  key: ({ key }) => keyName(key),
  app: (call) => appOf(call) ?? 'No app',
  session: ({ session }) => session ?? 'No session',
  day: ({ atMs }) => dayIn(zone, atMs),
});
const MAX_GROUPS = 50;
const GROUP_CELLS = [0, 1, 2, 3, 4, 5];

function toGroupRows(calls: readonly RecountCall[], zone: string, grouping: string): string[][] {
  const groups = [...groupBy(calls, toGroupings(zone)[grouping] ?? (() => ''))];
  const ranked =
    grouping === 'day'
      ? groups.toSorted(([one], [other]) => (one > other ? -1 : 1))
      : groups.toSorted(
          ([one, left], [other, right]) =>
            costOf(right) - costOf(left) || right.length - left.length || (one < other ? -1 : 1),
        );
  const others = ranked.slice(MAX_GROUPS);
  const rest = [`${whole(others.length)} others`, others.flatMap(([, own]) => own)] as const;
  return [...ranked.slice(0, MAX_GROUPS), ...(others.length > 0 ? [rest] : [])].map(([name, own]) => {
    const { requests, failed, firstTokens, speeds, nanoUsd } = count(own);
    const middle = percentile(speeds, 50);
    return [
      grouping === 'day' ? weekday(zone, name) : name,
      whole(requests),
      whole(failed),
      duration(percentile(firstTokens, 50)),
      compact(middle === null ? null : Math.round(middle)),
      usdInColumn(nanoUsd),
    ];
  });
}

const ROWS = 50;

/** The dearest requests, with what each has used. */
function toDearest(): string[][] {
  const ranked = ALL_CALLS.filter(({ isCostKnown }) => isCostKnown).toSorted(
    (one, other) => other.nanoUsd - one.nanoUsd || other.atMs - one.atMs,
  );
  return ranked.slice(0, ROWS).map((call) => {
    const middle = speedOf(call);
    return [
      keyName(call.key),
      compact(call.promptTokens),
      compact(call.tokens),
      duration(firstTokenOf(call)),
      compact(middle === null ? null : Math.round(middle)),
      duration(call.durationMs),
      usdInColumn(call.nanoUsd),
    ];
  });
}

interface Session {
  readonly id: string;
  readonly calls: readonly RecountCall[];
  readonly lastMs: number;
  readonly spanMs: number;
}

const SESSIONS: readonly Session[] = [...groupBy(ALL_CALLS, ({ session }) => session)]
  .flatMap(([id, calls]) => {
    if (id === null) return [];
    const starts = calls.map(({ atMs }) => atMs);
    const ends = calls.map(({ atMs, durationMs }) => atMs + (durationMs ?? 0));
    return { id, calls, lastMs: Math.max(...starts), spanMs: Math.max(...ends) - Math.min(...starts) };
  })
  .toSorted((one, other) => other.lastMs - one.lastMs || (one.id < other.id ? -1 : 1));

const errorsOf = (calls: readonly RecountCall[]): number => count(calls).failed + count(calls).interrupted;
const sessionCost = (calls: readonly RecountCall[]): string =>
  `${calls.every(({ isCostKnown }) => isCostKnown) ? '' : '≥ '}${usd(costOf(calls))}`;

/** The sessions of which a call is left, the latest first. */
const toSessionRows = (leaves: Filter): string[][] =>
  SESSIONS.filter(({ calls }) => calls.some(leaves))
    .slice(0, ROWS)
    .map(({ id, calls, spanMs }) => {
      const left = calls.filter(leaves).length;
      const errors = errorsOf(calls);
      return [
        id,
        left === calls.length ? whole(left) : `${whole(left)} of ${whole(calls.length)}`,
        duration(spanMs),
        errors === 0 ? '—' : whole(errors),
        sessionCost(calls),
      ];
    });

const byName = ([one = '']: readonly string[], [other = '']: readonly string[]): number => (one < other ? -1 : 1);
const toNano = (text: string): number => Math.round(Number(text.replace(/[$,]/g, '')) * 1e9);
/** Calls of which is stored what their cost is made of, and others. */
const PRICED = ALL_CALLS.filter(({ charges }) => charges.length > 0);
const UNPRICED = ALL_CALLS.filter(
  ({ charges, nanoUsd, promptTokens, tokens, attempts }) =>
    charges.length === 0 && nanoUsd > 0 && promptTokens && tokens && attempts.length > 0,
);
const OPENED = [...PRICED.slice(0, 6), ...UNPRICED.slice(-3)];

/** How many units of each kind were charged; where that is not stored, by what the tokens cost today. */
const toCounts = ({ charges, promptTokens, tokens }: RecountCall): string[] =>
  charges.length > 0 ? charges.map((charge) => whole(charge.count)) : [whole(promptTokens), whole(tokens)];
/** A millionth of a dollar in, and two out, do not explain what was made up: the table says by how much. */
const toDifference = ({ charges, nanoUsd, promptTokens, tokens }: RecountCall): number =>
  charges.length > 0 ? 0 : nanoUsd - (promptTokens ?? 0) * 1000 - (tokens ?? 0) * 2000;

describe.skipIf(skipped !== undefined)(
  `the numbers of requests and sessions${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
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
      const { page, go, compare } = await counted.open(zone);
      const readSummary = async (): Promise<string[]> => [
        await readText(page, 'main span[role=status]'),
        (await readText(page, 'main div.border-b > div > span.figures')).split(' · ')[0] ?? '',
      ];
      await go('#/generations');
      await compare('requests, all', readSummary, [`${whole(ALL_CALLS.length)} total`, toSummary(ALL_CALLS)]);
      for (const [address, leaves] of toFilters(zone)) {
        const calls = ALL_CALLS.filter(leaves);
        expect(calls.length).toBeGreaterThan(20);
        await go(`#/generations?${address}`);
        await compare('requests, filtered', readSummary, [`${whole(calls.length)} found`, toSummary(calls)]);
        const readFacets = async (): Promise<string[][]> => {
          const options = await readCells(page, '[role=search] select', 'option[value]:not([value=""])');
          // Without what stands for several of the others, and what no request has.
          return options.map((texts) => texts.filter((text) => /^(?!not ).* \([1-9][\d,]*\)$/.test(text)).toSorted());
        };
        await compare(
          'requests, filters to choose',
          readFacets,
          toFacets(address, leaves).map((one) => one.toSorted()),
        );
      }
      await go('#/generations?range=24h');
      await page.getByRole('button', { name: 'Show table' }).click();
      await compare(
        'requests by time',
        () => readCells(page, '[aria-label="Requests by time, as a table"] tbody tr', 'td'),
        toHistogramRows(HOUR_MS / 2),
      );
      await go('#/generations?group=day');
      await compare('requests by day', () => readGrid(page, GROUP_CELLS), toGroupRows(ALL_CALLS, zone, 'day'));
      await go('#/generations?group=day&range=24h');
      const lastDay = ALL_CALLS.filter(({ atMs }) => atMs >= NOW - DAY_MS);
      await compare('requests by day', () => readGrid(page, GROUP_CELLS), toGroupRows(lastDay, zone, 'day'));
    });

    // These depend on no clock: one zone is enough.
    test('by group and session, and of single ones, are those of a recount', async () => {
      const [zone] = ZONES;
      const { page, go, compare } = await counted.open(zone);
      await go('#/generations?sort=cost&order=desc');
      await compare(
        'requests, the dearest',
        async () => (await readGrid(page, [4, 7, 8, 9, 10, 11, 12])).slice(0, ROWS),
        toDearest(),
      );
      for (const grouping of Object.keys(toGroupings(zone)).filter((name) => name !== 'day')) {
        await go(`#/generations?group=${grouping}`);
        const rows = toGroupRows(ALL_CALLS, zone, grouping);
        await compare(`requests by ${grouping}`, () => readGrid(page, GROUP_CELLS), rows);
      }
      for (const [address, leaves] of [['', () => true], ...toFilters(zone).slice(2, 5)] as const) {
        await go(`#/generations/sessions?${address}`);
        const readSessions = async (): Promise<string[][]> => (await readGrid(page, [2, 3, 4, 7, 8])).slice(0, ROWS);
        await compare('sessions', readSessions, toSessionRows(leaves));
      }
      expect(PRICED.length).toBeGreaterThan(20);
      for (const call of OPENED) {
        await go(`#/generations/${call.id}?tab=usage`);
        const readCost = async (): Promise<unknown> => {
          const rows = await readCells(page, 'table[aria-label="Cost by kind"] tr:has(td)', 'th, td');
          const parts = rows.filter((row) => row.length === 4);
          const total = rows.findIndex(([name]) => name === 'Total');
          const [, difference = '$0'] = rows.slice(parts.length, total)[0] ?? [];
          const added = parts.reduce((all, row) => all + toNano(row[3] ?? ''), toNano(difference));
          return [parts.map(([, number]) => number), toNano(difference), added, rows[total]?.[1]];
        };
        await compare('one request: the sum of its cost', readCost, [
          toCounts(call),
          toDifference(call),
          call.nanoUsd,
          usdExactly(call.nanoUsd),
        ]);
        const facts = new Map([
          ['Time to first token', duration(firstTokenOf(call))],
          ['Duration', duration(call.durationMs)],
          ['Speed', speed(speedOf(call))],
          ['Prompt', call.promptTokens === null ? '—' : `${whole(call.promptTokens)} tokens`],
          ['Response', call.tokens === null ? '—' : `${whole(call.tokens)} tokens`],
          ['Reasoning tokens', whole(call.reasoningTokens)],
          ['Cached prompt tokens', whole(call.cachedTokens)],
        ]);
        const readUse = async (): Promise<string[][]> =>
          (await readFacts(page, 'main')).filter(([name = '']) => facts.has(name)).toSorted(byName);
        await compare('one request', readUse, [...facts].toSorted(byName));
      }
      for (const { id, calls, spanMs } of SESSIONS.slice(0, 3)) {
        await go(`#/generations/sessions/${id}`);
        const errors = errorsOf(calls);
        const readSums = async (): Promise<string[]> => {
          const facts = new Map((await readFacts(page, '[aria-label="Session figures"]')) as [string, string][]);
          const span = facts.get('Time')?.split(', ').at(-1) ?? '';
          return [facts.get('Requests') ?? '', facts.get('Cost') ?? '', span];
        };
        const requests = `${whole(calls.length)}${errors === 0 ? '' : `, ${whole(errors)} failed`}`;
        await compare('one session', readSums, [requests, sessionCost(calls), duration(spanMs)]);
      }
    });
  },
);
