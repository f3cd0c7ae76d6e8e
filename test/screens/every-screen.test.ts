import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { seedSamples } from '../../packages/server/src/sample/seed-samples.ts';
import { COUNT_SHIFTS, readShifts, untilSettled } from '../e2e/count-shifts.ts';
import { untilDrawn, WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui, type UiPage } from '../e2e/launch-ui.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url));

const SCREENS = [
  '/',
  '/generations',
  '/generations/sessions',
  '/models',
  '/playground',
  '/videos',
  '/guardrails',
  '/keys',
  '/members',
  '/audit',
  '/connect',
  '/destinations',
  '/providers',
  '/fixtures',
  '/batches',
  '/files',
  '/playground?kind=speech',
  '/reruns',
  '/reruns?new=1',
  '/settings',
  '/settings?section=workspaces',
  '/settings?section=data',
];

const isSkipped = skipped !== undefined;
const why = isSkipped ? `, skipped: ${skipped}` : '';

describe.skipIf(isSkipped)(`each screen of a gateway in use${why}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let german: UiPage | undefined;
  beforeAll(async () => {
    ui = await launchUi({ prepareData: async (dir) => void (await seedSamples(dir, FIXTURES)) });
  }, 60_000);
  afterAll(() => ui?.close(), 60_000);

  test('loads at most 200 KB of compressed script for the first screen, by the log of the browser', async () => {
    const { page } = await ui.open('#/', { isFirstVisit: true });
    await page.getByRole('heading', { level: 2, name: 'Last 24 hours' }).waitFor();
    // What is loaded after that is for other screens: it waits until the page has come to rest.
    const files = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
    );
    const sizes = await Promise.all(
      files.map(async (file) => gzipSync(new Uint8Array(await (await fetch(file)).arrayBuffer())).length),
    );
    expect(files.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200 * 1024);
  });

  test('says on the list of providers by which command the demo is left', async () => {
    const { page } = await ui.open('#/providers');
    await page.getByText('model-gateway serve --no-demo').waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add a provider' }).count()).toBe(0);
  });

  test.each(SCREENS)('%s stands still while it loads', async (path) => {
    const { page, problems } = await ui.open(`#${path}`, { initScript: COUNT_SHIFTS, isFirstVisit: true });
    await untilSettled(page);
    const { moved, told } = await readShifts(page);
    expect(moved, told).toBeLessThanOrEqual(0.02);
    expect(problems).toEqual([]);
  });

  test.each(SCREENS)('%s fits in German, from a telephone to a wide screen', async (path) => {
    german ??= await ui.open('#/', { locale: 'de-DE', isKept: true });
    const { page, problems, follow } = german;
    await follow(`#${path}`);
    await untilSettled(page);
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe('de');
    for (const width of [480, 900, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      await untilDrawn(page);
      expect(await page.evaluate<number>(WIDTH), `${width}`).toBeLessThanOrEqual(width);
    }
    expect(problems).toEqual([]);
  });
});
