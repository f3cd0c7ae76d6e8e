import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const HEALTH = '/health';
const RUNNING = '/admin/v1/generations/running';
const note = skipped === undefined ? '' : `, skipped: ${skipped}`;

/** Counts the requests of a page whose clock the test moves, by path. */
function watchRequests(page: Page, url: string) {
  const counts = new Map<string, number>();
  const open = new Set<Request>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!request.url().startsWith(url) || pathname.startsWith('/ui/')) return;
    open.add(request);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
  });
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  /** The feed of new rows stays open. */
  const settle = async (): Promise<void> => {
    await expect.poll(() => open.size, { timeout: 10_000 }).toBeLessThanOrEqual(1);
  };
  return {
    settle,
    /** The requests of so many seconds, by path. Each second waits for the responses of the one before. */
    async during(seconds: number): Promise<ReadonlyMap<string, number>> {
      await settle();
      counts.clear();
      for (let second = 0; second < seconds; second++) {
        await page.clock.runFor(1000);
        await settle();
      }
      return new Map(counts);
    },
  };
}

const setVisibility = (page: Page, state: 'hidden' | 'visible'): Promise<unknown> =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }`);

describe.skipIf(skipped !== undefined)(`how often a page asks the gateway${note}`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  }, 60_000);
  afterAll(() => ui?.close());

  test.each(['/', '/keys', '/providers', '/models'])(
    'is every five seconds for its state and for what runs: %s',
    async (path) => {
      const { page, problems } = await ui.open(`#${path}`, { hasClock: true });
      const { during, settle } = watchRequests(page, ui.url);
      if (path === '/') await page.getByRole('button', { name: 'Skip' }).click();
      await settle();
      const counts = await during(20);
      expect(counts.get(HEALTH)).toBeGreaterThanOrEqual(2);
      expect(counts.get(HEALTH)).toBeLessThanOrEqual(6);
      expect(counts.get(RUNNING) ?? 0).toBeLessThanOrEqual(6);
      expect(problems).toEqual([]);
    },
  );

  test('is every second for what runs where the list of requests is open', async () => {
    const { page } = await ui.open('#/generations', { hasClock: true });
    const counts = await watchRequests(page, ui.url).during(20);
    // A second that comes before the last response asks nothing. Every five seconds would be four or five.
    expect(counts.get(RUNNING)).toBeGreaterThanOrEqual(8);
    expect(counts.get(HEALTH)).toBeLessThanOrEqual(6);
  });

  test('is never while it is hidden, and at once when it is shown again', async () => {
    const { page } = await ui.open('#/generations', { hasClock: true });
    const { during, settle } = watchRequests(page, ui.url);
    await during(3);
    await setVisibility(page, 'hidden');
    await settle();
    expect([...(await during(30))]).toEqual([]);
    const asked = page.waitForRequest((request) => request.url() === `${ui.url}${HEALTH}`);
    await setVisibility(page, 'visible');
    await asked;
  });
});
