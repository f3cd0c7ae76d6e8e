import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import { costOf, sum } from '../support/recount/count-calls.ts';
import { ALL_CALLS, DAY_MS, KEYS, NOW, type RecountCall, ZONES } from '../support/recount/random-calls.ts';
import { DELIVERIES, DESTINATIONS } from '../support/recount/random-deliveries.ts';
import { type Counted, readCells, readGrid, readText, startCounted } from '../support/recount/start-counted.ts';
import { usd, whole } from '../support/recount/write-numbers.ts';

const compared = new Map<string, number>();
let counted: Counted;

/** The list of deliveries shows so many. */
const PAGE = 100;
/** Keys of the configuration: the one for the UI, and the one for new calls. */
const CONFIGURED_KEYS = 2;

const utcDay = ({ atMs }: RecountCall): string => new Date(atMs).toISOString().slice(0, 10);
const many = (number: number, one: string): string => `${whole(number)} ${one}${number === 1 ? '' : 's'}`;

/** Each destination: the share of calls that it gets, and the calls that wait for it. */
const toDestinationRows = (): string[][] =>
  DESTINATIONS.map(({ id, name, share }) => {
    const waiting = DELIVERIES.filter(({ destinationId, state }) => destinationId === id && state === 'waiting');
    return [name, `${whole(share * 100)} %`, whole(sum(waiting, ({ calls }) => calls))];
  });

/** What has not reached a destination, the newest first: how often each was tried, and how many calls are in it. */
const toDeliveries = (id: string): string[][] =>
  DELIVERIES.filter(({ destinationId }) => destinationId === id)
    .toReversed()
    .slice(0, PAGE)
    .map(({ state, attempts, calls }) => [state, many(attempts, 'attempt'), many(calls, 'request')]);

/** What is over by the end of its day in UTC after so many days, of which whole days are deleted. */
const endedBefore = (days: number): readonly RecountCall[] =>
  ALL_CALLS.filter((call) => Date.parse(utcDay(call)) + DAY_MS + days * DAY_MS <= NOW);

/** Prompts and responses are stored of those that have charges. */
const stored = (calls: readonly RecountCall[]): number => calls.filter(({ charges }) => charges.length > 0).length;

/** What the card of the retention says of its fields; sizes depend on the store. */
function toLosses(days: number, contentDays: number | null): string {
  const requests = endedBefore(days).length;
  const contents = stored(endedBefore(Math.min(days, contentDays ?? days)));
  const texts =
    contents === 1
      ? 'the prompt and response of 1 request'
      : `the prompts and responses of ${whole(contents)} requests`;
  const parts = [...(requests === 0 ? [] : [many(requests, 'request')]), ...(contents === 0 ? [] : [texts])];
  return parts.length === 0 ? 'This deletes nothing now.' : `This deletes ${parts.join(' and ')} now.`;
}

const TRIED: readonly (readonly [days: number, contentDays: number | null])[] = [
  [1, null],
  [7, null],
  [30, null],
  [39, null],
  [40, 3],
  [30, 10],
  [45, null],
];

describe.skipIf(skipped !== undefined)(
  `the numbers of destinations and settings${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
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
      await go('#/destinations');
      const readRows = async (): Promise<string[][]> =>
        (await readGrid(page, [0, 2, 4])).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
      await compare('destinations', readRows, toDestinationRows());

      await go('#/settings?section=workspaces');
      const month = ALL_CALLS.filter(
        (call) =>
          !call.isByok && utcDay(call) >= '2026-03-01' && KEYS.some(({ hash, name }) => hash === call.key && name),
      );
      const keys = KEYS.filter(({ name }) => name !== null).length + CONFIGURED_KEYS;
      await compare(
        'workspaces',
        async () =>
          (await readCells(page, 'section[aria-label=Workspaces] tbody tr:has(td:nth-child(4))', 'td')).map((cells) =>
            cells.slice(2, 4),
          ),
        [[whole(keys), usd(costOf(month))]],
      );

      await go('#/settings?section=data');
      for (const [days, contentDays] of TRIED) {
        await page.getByLabel('Keep prompts and responses for days').fill(contentDays === null ? '' : `${contentDays}`);
        await page.getByLabel('Keep requests for days').fill(`${days}`);
        const readLosses = async (): Promise<string> =>
          (await readText(page, 'section[aria-label=Retention] [role=status]')).replace(/ \([^)]*\)/, '');
        await compare('what shorter retention deletes', readLosses, toLosses(days, contentDays));
      }
    });

    // These depend on no clock: one zone is enough.
    test('of deliveries that have not arrived are those of a recount', async () => {
      const { page, go, compare } = await counted.open(ZONES[0]);
      expect(DELIVERIES.length).toBeGreaterThan(PAGE);
      for (const { id, deliveries } of DESTINATIONS.filter((one) => one.deliveries > 0)) {
        await go(`#/destinations?open=${id}&tab=log`);
        const all = toDeliveries(id);
        const readAll = async (): Promise<unknown> => {
          const texts = await readCells(page, '[role=tabpanel] li', 'p');
          return texts.map(([state = '', tried = '', contained = '']) => [
            /^(?:waiting|failed)/.exec(state)?.[0],
            /\d+ attempts?/.exec(tried)?.[0],
            /^\d+ requests?/.exec(contained)?.[0],
          ]);
        };
        const log = page.getByText(`${whole(all.length)} of ${whole(deliveries)}, newest first`);
        await log.waitFor();
        compared.set('deliveries', (compared.get('deliveries') ?? 0) + 2);
        await compare('deliveries', readAll, all);
      }
    });
  },
);
