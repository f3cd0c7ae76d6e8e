import { fileURLToPath } from 'node:url';

import type { SessionList } from '@model-gateway/core/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { seedSamples } from '../../packages/server/src/sample/seed-samples.ts';
import { COUNT_SHIFTS, readShifts, untilSettled } from '../e2e/count-shifts.ts';
import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));
const MOST_MOVED = 0.02;

let ui: Ui;
let session = '';

/** Pages of one thing, which load more than a list: `every-screen.test.ts` has the screens of the navigation. */
const PAGES: readonly (readonly [name: string, width: number, hash: () => string, locale: string])[] = [
  ['a session of an agent', 900, () => `#/generations/sessions/${session}`, 'en-US'],
  ['a session of an agent', 1440, () => `#/generations/sessions/${session}`, 'en-US'],
  ['a session of an agent', 2560, () => `#/generations/sessions/${session}`, 'en-US'],
  ['a provider in use', 900, () => '#/providers/demo', 'de-DE'],
  ['the list of generations', 900, () => '#/generations', 'de-DE'],
  ['the list of generations', 1440, () => '#/generations', 'de-DE'],
  ['a model that is gone', 1440, () => '#/models/openai/gpt-5.6-sol', 'en-US'],
];

describe.skipIf(skipped !== undefined)(
  `pages that stand still${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi({ prepareData: async (dir) => void (await seedSamples(dir, FIXTURES)) });
      const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'demo: rate limit' }] };
      await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
      const list = await ui.call('/admin/v1/generations/sessions?limit=50');
      const { data } = (await list.json()) as SessionList;
      session = data.toSorted((one, other) => other.requests - one.requests)[0]?.session_id ?? '';
    }, 120_000);
    afterAll(() => ui?.close(), 60_000);

    test.each(PAGES)('%s, %i pixels wide', async (_, width, hash, locale) => {
      const { page, problems } = await ui.open(hash(), {
        viewport: { width, height: 900 },
        locale,
        initScript: COUNT_SHIFTS,
      });
      await untilSettled(page);
      const { moved, told } = await readShifts(page);
      console.log(`${hash()} at ${width}: ${moved.toFixed(4)}`);
      expect(moved, told).toBeLessThanOrEqual(MOST_MOVED);
      expect(problems).toEqual([]);
    });

    test('a wide session has its tools and their times below the axis', async () => {
      const { page } = await ui.open(`#/generations/sessions/${session}`, { viewport: { width: 2560, height: 900 } });
      const tools = page.getByRole('table', { name: 'Tools' });
      await tools.getByRole('rowheader', { name: 'run_tests' }).waitFor();
      const { y = 0, height = 0 } =
        (await page.getByRole('region', { name: 'Timeline', exact: true }).boundingBox()) ?? {};
      expect(y + height).toBeGreaterThan(700);
      await page.setViewportSize({ width: 1440, height: 900 });
      expect(await tools.isVisible()).toBe(false);
    });
  },
);
