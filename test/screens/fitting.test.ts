import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { FIND_UNFIT, KEEP_LABELS } from '../e2e/find-unfit.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

const SCREENS = [
  '',
  'models',
  'models?open=demo/chat',
  'generations',
  'generations?open=ID',
  'generations/ID',
  'playground',
  'videos',
  'videos?view=webhooks',
  'guardrails',
  'guardrails?open=GUARDRAIL',
  'keys',
  'connect',
  'connect?tool=cursor',
  'destinations',
  'providers',
  'providers?open=demo',
  'fixtures',
  'settings',
];

/** Screens that have a chart where nothing else covers it. */
const CHARTED = /^(generations)?$/;

const WIDTHS = [390, 480, 900, 1440];

/** How far the table, or a page without one, scrolls sideways. */
const BEYOND = `(() => {
  const grid = document.querySelector('[role=grid]') ?? document.documentElement;
  return grid.scrollWidth - grid.clientWidth;
})()`;
const HEADS = ['Ended', 'Model', 'Prompt', 'Cost'];

/** Calls as a gateway has them after weeks: of other days, tiny and large costs, and long waits. */
const AGES_MS = [0, 3_600_000, 10 * 86_400_000, 300 * 86_400_000];
/** Today at the time that takes the most room, whenever the test runs. */
const AT_NOON = new Date().setHours(12, 58);
const COSTS = [0.00009374, 1234.5678, 0, 0.0123];
const TIMES_MS = [625_000, 272_000, 59.4, 3_725_000];

function toWeeksOld<Row extends object>(rows: readonly Row[]): Row[] {
  return rows.map((row, at) => ({
    ...row,
    created_at: new Date(AT_NOON - (AGES_MS[at % 4] ?? 0)).toISOString(),
    total_cost: COSTS[at % 4],
    generation_time: TIMES_MS[at % 4],
    latency: TIMES_MS[(at + 1) % 4],
    tokens_prompt: 1_234_567,
    tokens_completion: 98_765,
    status: ['ok', 'failed', 'cancelled'][at % 3],
  }));
}

describe.skipIf(skipped !== undefined)(
  `what fits on the screens of the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 120_000 },
  () => {
    let ui: Ui;
    let opened: UiPage;
    const ids = { generation: '', guardrail: '' };
    beforeAll(async () => {
      ui = await launchUi();
      for (let count = 0; count < 8; count += 1) {
        const messages = [{ role: 'user', content: 'Hello!' }];
        const sent = await ui.call('/api/v1/chat/completions', {
          key: API_KEY,
          body: { model: 'demo/chat', messages },
        });
        ids.generation = sent.headers.get('x-generation-id') ?? '';
        await sent.arrayBuffer();
      }
      await ui.call('/api/v1/videos', { key: API_KEY, body: { model: 'demo/video', prompt: 'a lighthouse' } });
      for (const limit of [0.000123, 123_456.78, null])
        await ui.call('/api/v1/keys', {
          body: { name: `A key with a limit of ${limit}`, limit, limit_reset: 'monthly' },
        });
      const content_filter_builtins = [{ slug: 'email', action: 'redact' }];
      const made = await ui.call('/api/v1/guardrails', { body: { name: 'Personal data', content_filter_builtins } });
      ids.guardrail = ((await made.json()) as { data: { id: string } }).data.id;
      opened = await ui.open('#/', { initScript: KEEP_LABELS, reducedMotion: 'reduce', isKept: true });
      await opened.page.route(/\/admin\/v1\/generations\?/, async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { data: object[] };
        await route.fulfill({ response, json: { ...body, data: toWeeksOld(body.data) } });
      });
    }, 60_000);
    afterAll(async () => {
      // The list goes on asking while its page closes.
      await opened?.page.unrouteAll({ behavior: 'ignoreErrors' });
      await ui?.close();
    }, 60_000);

    test.each(WIDTHS.flatMap((width) => SCREENS.map((screen) => [width, screen] as const)))(
      'is neither cut off nor broken over lines, %i pixels wide: /%s',
      async (width, screen) => {
        const { page, follow, screenshot } = opened;
        await page.setViewportSize({ width, height: 800 });
        await page.evaluate('window.cutLabels.clear()');
        await follow(`#/${screen.replace('ID', ids.generation).replace('GUARDRAIL', ids.guardrail)}`);
        // A chart is drawn when the page has nothing better to do.
        if (CHARTED.test(screen)) await page.locator('.uplot').first().waitFor();
        await screenshot(`fit-${width}-${screen.replaceAll(/\W+/g, '-')}`);
        expect(await page.evaluate(FIND_UNFIT)).toEqual([]);
        expect(await page.evaluate('[...window.cutLabels]')).toEqual([]);
      },
    );

    test.each([390, 480])(
      'shows time, status, model and cost of each call %i pixels wide, with nothing to scroll to',
      async (width) => {
        const { page, follow, screenshot } = opened;
        await page.setViewportSize({ width, height: 800 });
        await follow('#/generations');
        const grid = page.getByRole('grid', { name: 'Generations' });
        await expect.poll(() => grid.getByRole('columnheader').allInnerTexts()).toEqual(HEADS);
        await grid.getByText('$1,234.57').first().waitFor();
        await screenshot(`fit-${width}-calls`);
        expect(await page.evaluate<number>(BEYOND)).toBe(0);
      },
    );

    test.each(['', 'generations/sessions', 'models', 'guardrails', 'keys', 'destinations', 'providers', 'videos'])(
      'has nothing to scroll sideways to, 390 pixels wide: /%s',
      async (screen) => {
        const { page, follow } = opened;
        await page.setViewportSize({ width: 390, height: 800 });
        await follow(`#/${screen}`);
        await expect.poll(() => page.evaluate<number>(BEYOND)).toBe(0);
      },
    );
  },
);
