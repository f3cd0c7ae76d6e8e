import { afterAll, beforeAll, describe, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import { costOf, count, firstTokenOf, groupBy, percentile, startOfDay, sum } from '../support/recount/count-calls.ts';
import {
  ALL_CALLS,
  DAY_MS,
  type Fate,
  GUARDRAIL,
  KEYS,
  MEMBERS,
  MODELS,
  NOW,
  PROVIDERS,
  type RecountCall,
  VIDEOS,
  ZONES,
} from '../support/recount/random-calls.ts';
import {
  API_KEY,
  type Counted,
  readCells,
  readFacts,
  readGrid,
  readText,
  startCounted,
  USAGE_NANO_USD,
} from '../support/recount/start-counted.ts';
import { duration, rounded, share, usd, usdExactly, usdInColumn, whole } from '../support/recount/write-numbers.ts';

const HOUR_MS = 3_600_000;
const compared = new Map<string, number>();
let counted: Counted;

const utcDay = ({ atMs }: RecountCall): string => new Date(atMs).toISOString().slice(0, 10);
/** The first days of the periods of keys, which are in UTC: the day after clocks were changed is a Monday. */
const PERIODS = { daily: '2026-03-09', weekly: '2026-03-09', monthly: '2026-03-01', total: '' } as const;

/** What the account has paid for calls since a day; what was paid to providers directly is no part of it. */
const spentSince = (calls: readonly RecountCall[], day: string): number =>
  costOf(calls.filter((call) => !call.isByok && utcDay(call) >= day));
const paidDirectly = (calls: readonly RecountCall[], day: string): number =>
  costOf(calls.filter((call) => call.isByok && utcDay(call) >= day));

const callsOf = (hash: string): readonly RecountCall[] => ALL_CALLS.filter(({ key }) => key === hash);
const STORED = KEYS.flatMap((key) => (key.name === null ? [] : [{ ...key, calls: callsOf(key.hash) }]));

/** `$3.20 / $5.00 daily`. */
function toLimit({ calls, limitUsd, limitReset, countsByok }: (typeof STORED)[number]): string {
  if (limitUsd === null) return 'none';
  const since = PERIODS[limitReset ?? 'total'];
  const spent = spentSince(calls, since) + (countsByok ? paidDirectly(calls, since) : 0);
  return `${usd(spent)} / ${usd(limitUsd * 1e9)} ${limitReset ?? 'total'}`;
}

const toKeyRows = (): string[][] =>
  STORED.toSorted(
    (one, other) => spentSince(other.calls, PERIODS.monthly) - spentSince(one.calls, PERIODS.monthly),
  ).map((key) => [
    key.name,
    ...Object.values(PERIODS).map((day) => usdInColumn(spentSince(key.calls, day))),
    toLimit(key),
  ]);

const toMemberRows = (): string[][] =>
  MEMBERS.map(({ id, name }) => {
    const own = STORED.filter(({ member }) => member === id);
    return [name, whole(own.length), usdInColumn(sum(own, ({ calls }) => spentSince(calls, PERIODS.monthly)))];
  });

const HAS_RESPONDED: readonly Fate[] = ['ok', 'broke_off'];
const NOT_ITS_FAILURE: readonly Fate[] = ['ok', 'refused', 'abandoned'];

/** The calls to each provider in the 24 hours that end with the present one. */
function toProviderRows(): string[][] {
  const fromMs = (Math.floor(NOW / HOUR_MS) - 23) * HOUR_MS;
  const calls = ALL_CALLS.filter(({ atMs }) => atMs >= fromMs);
  return PROVIDERS.map(({ slug, name }) => {
    const asked = calls.flatMap((call) =>
      call.attempts.filter((one) => one.slug === slug).map((one) => ({ ...one, call })),
    );
    const failed = asked.filter(({ fate }) => !NOT_ITS_FAILURE.includes(fate)).length;
    const firstTokens = asked.flatMap(({ fate, latencyMs, call }) =>
      HAS_RESPONDED.includes(fate) && firstTokenOf(call) !== null ? [latencyMs] : [],
    );
    const { speeds } = count(calls.filter(({ provider }) => provider === name));
    return [
      whole(asked.length),
      `${failed === 0 ? '' : whole(failed)}${share(failed, asked.length)}`,
      duration(percentile(firstTokens, 50)),
      duration(percentile(firstTokens, 95)),
      rounded(percentile(speeds, 50)),
      usdInColumn(costOf(calls.filter(({ attempts }) => attempts.at(-1)?.slug === slug))),
    ];
  });
}

interface Asked {
  readonly atMs: number;
  readonly fate: Fate;
  readonly latencyMs: number | null;
  readonly isStream: boolean;
  /** Of the call that ended there. */
  readonly nanoUsd: number;
}

/** The attempts at a provider since a moment. */
const askedOf = (slug: string, fromMs: number): Asked[] =>
  ALL_CALLS.filter(({ atMs }) => atMs >= fromMs).flatMap((call) =>
    call.attempts.flatMap((one, at) =>
      one.slug === slug
        ? {
            ...one,
            atMs: call.atMs,
            isStream: firstTokenOf(call) !== null,
            nanoUsd: at === call.attempts.length - 1 ? call.nanoUsd : 0,
          }
        : [],
    ),
  );

/** What its history says of some attempts: how many, how many failed, the share that was up, first tokens, and money. */
function toHistory(asked: readonly Asked[]): string[] {
  const failed = asked.filter(({ fate }) => !NOT_ITS_FAILURE.includes(fate));
  const ok = asked.filter(({ fate }) => fate === 'ok').length;
  const out = failed.filter(({ fate }) => fate !== 'rate_limited').length;
  const firstTokens = asked.flatMap(({ fate, latencyMs, isStream }) =>
    HAS_RESPONDED.includes(fate) && isStream ? [latencyMs] : [],
  );
  return [
    whole(asked.length),
    whole(failed.length),
    share(ok, ok + out),
    `${duration(percentile(firstTokens, 50))}, ${duration(percentile(firstTokens, 95))}`,
    usdInColumn(sum(asked, ({ nanoUsd }) => nanoUsd)),
  ];
}

const hourOf = ({ atMs }: Asked): number => Math.floor(atMs / HOUR_MS);

/** The use of each model in the last 30 days, by id. */
function toModelRows(): string[][] {
  const calls = ALL_CALLS.filter(({ atMs }) => atMs >= NOW - 30 * DAY_MS);
  return MODELS.map((id) => {
    const { requests, failed, firstTokens, speeds, nanoUsd } = count(calls.filter(({ model }) => model === id));
    return [
      id,
      duration(percentile(firstTokens, 50)),
      rounded(percentile(speeds, 50)),
      share(requests - failed, requests),
      whole(requests),
      usdInColumn(nanoUsd),
    ];
  }).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

const ALL_DAYS = '30 days';

/** A day as tables say it: `Mar 9`. */
const dayName = (day: string): string =>
  new Date(day).toLocaleDateString('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** The use of a model by day of UTC, the newest first, and that of all days. */
function toUsageRows(model: string): string[][] {
  const since = new Date(NOW - 30 * DAY_MS).toISOString().slice(0, 10);
  const calls = ALL_CALLS.filter((call) => call.model === model && utcDay(call) >= since);
  const days = [...groupBy(calls, utcDay)].toSorted(([one], [other]) => (one > other ? -1 : 1));
  return [...days, [ALL_DAYS, calls] as const].map(([name, own]) => [
    name === ALL_DAYS ? name : dayName(name),
    whole(own.length),
    whole(sum(own, ({ promptTokens }) => promptTokens)),
    whole(sum(own, ({ tokens }) => tokens)),
    usdInColumn(costOf(own)),
  ]);
}

/** What the guardrail did within whole hours, or days, of UTC that a span touches. */
function toHits(spanMs: number, stepMs: number): string[] {
  const fromMs = Math.floor((NOW - spanMs) / stepMs) * stepMs;
  const calls = ALL_CALLS.filter(({ atMs }) => atMs >= fromMs);
  const words = { redacted: 'redacted', flagged: 'flagged', narrowed: 'restricted' } as const;
  return (['redacted', 'flagged', 'narrowed'] as const).map(
    (effect) => `${whole(calls.filter((call) => call.effect === effect).length)} ${words[effect]}`,
  );
}

describe.skipIf(skipped !== undefined)(
  `the numbers of keys, members, providers and models${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
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
      // The pages of single ones say the same: one zone is enough.
      const isFirst = zone === ZONES[0];
      await go('#/keys');
      const readKeys = async (): Promise<string[][]> =>
        (await readGrid(page, [0, 1, 2, 3, 4, 5])).flatMap(([name = '', ...cells]) => {
          const key = STORED.find((one) => name.startsWith(one.name));
          return key === undefined ? [] : [[key.name, ...cells]];
        });
      await compare('keys', readKeys, toKeyRows());
      for (const key of isFirst ? STORED : []) {
        await go(`#/keys/${key.hash}`);
        const readKey = async (): Promise<string[][]> =>
          (await readFacts(page, 'section[aria-label="Limits and spending"]')).filter(
            ([name = '']) => !/^(Expires|Created)/.test(name),
          );
        const direct = paidDirectly(key.calls, '');
        await compare('one key', readKey, [
          ['Limit', toLimit(key)],
          ...Object.entries({
            Today: 'daily',
            'This week': 'weekly',
            'This month': 'monthly',
            Total: 'total',
          } as const).map(([label, period]) => [label, usd(spentSince(key.calls, PERIODS[period]))]),
          ...(direct === 0 ? [] : [['Paid to providers directly', usd(direct)]]),
        ]);
      }

      await go('#/members');
      await compare('members', () => readGrid(page, [0, 3, 4]), toMemberRows());
      for (const { id } of isFirst ? MEMBERS : []) {
        await go(`#/members/${id}`);
        const own = STORED.filter(({ member }) => member === id);
        const spent = (day: string): string => usd(sum(own, ({ calls }) => spentSince(calls, day)));
        await compare('one member', () => readFacts(page, 'section[aria-label="Spending"]'), [
          ['Today', spent(PERIODS.daily)],
          ['This month', spent(PERIODS.monthly)],
          ['Total', spent(PERIODS.total)],
        ]);
      }

      await go('#/providers');
      await compare('providers', () => readGrid(page, [3, 4, 5, 6, 7, 8]), toProviderRows());

      const { slug } = PROVIDERS[0];
      await go(`#/providers?open=${slug}`);
      const week = startOfDay(zone, '2026-03-03');
      for (const [button, fromMs] of [
        ['24 h', (Math.floor(NOW / HOUR_MS) - 23) * HOUR_MS],
        ['7 days', Math.floor(week / HOUR_MS) * HOUR_MS],
      ] as const) {
        const history = page.getByRole('region', { name: 'History', exact: true });
        await history.getByRole('button', { name: button }).click();
        const asked = askedOf(slug, fromMs);
        const [calls, failed, uptime, firstTokens = '', cost] = toHistory(asked);
        const [p50, p95] = firstTokens.split(', ');
        const readAll = async (): Promise<unknown[]> => {
          const facts = new Map((await readFacts(page, 'section[aria-label=History]')) as [string, string][]);
          const said = await readText(page, 'section[aria-label=History] p');
          return [said.replace(/^.*?, /, ''), ...['Uptime', 'First token', 'Spend'].map((name) => facts.get(name))];
        };
        const pair = `${p50} (p50), ${p95} (p95)`;
        await compare('one provider', readAll, [`${failed} of ${calls} failed.`, uptime, pair, cost]);
        await history.getByRole('button', { name: 'Table' }).click();
        const hours = [...groupBy(asked, hourOf)].toSorted(([one], [other]) => other - one);
        const readHours = async (): Promise<string[][]> =>
          (await readCells(page, 'section[aria-label=History] tbody tr', 'td')).map(
            ([all = '', some = '', ...rest]) => [all, some.split(' ')[0] ?? '', ...rest],
          );
        await compare(
          'one provider, by hour',
          readHours,
          hours.map(([, one]) => toHistory(one)),
        );
        await history.getByRole('button', { name: 'Table' }).click();
      }

      await go('#/guardrails');
      const day = toHits(DAY_MS, HOUR_MS);
      const sumOf = (texts: readonly string[]): number => sum(texts, (text) => Number.parseInt(text, 10));
      const readHits = async (): Promise<string[]> => (await readGrid(page, [1])).flat();
      await compare('guardrails', readHits, [`${sumOf(day)}${day.join(', ')}`]);
      await go(`#/guardrails?open=${GUARDRAIL}`);
      await page.getByRole('tab', { name: /Hits/ }).click();
      for (const [span, hits] of [
        ['24 h', day],
        ['7 d', toHits(7 * DAY_MS, HOUR_MS)],
        ['30 d', toHits(30 * DAY_MS, DAY_MS)],
      ] as const) {
        await page.getByRole('radio', { name: span }).click();
        const readEffects = async (): Promise<string[]> =>
          (await readCells(page, '[role=tabpanel] section li', 'span:last-child')).map(
            ([text = '']) => text.split(':')[0] ?? '',
          );
        await compare('one guardrail', readEffects, hits);
      }

      await go('#/videos');
      const videos = VIDEOS.map(({ tookMs, nanoUsd }) => [duration(tookMs), usdInColumn(nanoUsd)]);
      await compare('videos', () => readGrid(page, [2, 4]), videos);

      await go('#/models');
      const readModels = async (): Promise<string[][]> =>
        (await readGrid(page, [1, 6, 7, 8, 9, 10]))
          .map(([name = '', ...cells]) => [/author-\d\/model-\d+$/.exec(name)?.[0] ?? name, ...cells])
          .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
      await compare('models', readModels, toModelRows());
      for (const model of isFirst ? MODELS.slice(0, 3) : []) {
        await go(`#/models?open=${model}`);
        await page.getByRole('tab', { name: 'Usage' }).click();
        await compare(
          'one model',
          () => readCells(page, '[role=tabpanel] table tr:has(td)', 'th, td'),
          toUsageRows(model),
        );
      }
    });

    test('and of a run in the playground, in its footer, in its record and at the top', async () => {
      const zone = 'UTC';
      const { page, go, compare } = await counted.open(zone);
      await page.evaluate(`sessionStorage.setItem('model-gateway.playground-key', ${JSON.stringify(API_KEY)})`);
      // The key is read once, by a script that may have been loaded before.
      await page.reload();
      await go(`#/playground?models=${MODELS[0]}`);
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Count');
      await page.keyboard.press('Control+Enter');
      const readFooter = async (): Promise<string[]> => {
        const [texts = []] = await readCells(page, 'main footer', 'span');
        return texts.filter((text) => /^[$]| in /.test(text));
      };
      await compare('a run', readFooter, [usd(USAGE_NANO_USD), '12,345 in / 678 out']);
      await page.getByRole('link', { name: 'Generation', exact: true }).click();
      await go(`${page.url().replace(/^[^#]*/, '')}?tab=usage`);
      const readTotal = async (): Promise<string | undefined> =>
        (await readCells(page, 'table[aria-label="Cost by kind"] tr:has(td)', 'th, td')).find(
          ([name]) => name === 'Total',
        )?.[1];
      await compare('a run', readTotal, usdExactly(USAGE_NANO_USD));
      await page.reload();
      const today = costOf(ALL_CALLS.filter((call) => utcDay(call) === PERIODS.daily)) + USAGE_NANO_USD;
      await compare('spent today, at the top', () => readText(page, '[title^="Spent "]'), `today ${usd(today)}`);
    });
  },
);
