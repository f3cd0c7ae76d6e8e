import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { API_KEY, launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

describe.skipIf(skipped !== undefined)(`session limits (${skipped ?? 'in Chromium'})`, { timeout: 60_000 }, () => {
  let ui: Ui;
  const ask = async (session: string): Promise<number> => {
    const body = { model: 'demo/chat', messages: [{ role: 'user', content: 'Go on.' }], session_id: session };
    const response = await ui.call('/api/v1/chat/completions', { key: API_KEY, body });
    await response.arrayBuffer();
    return response.status;
  };
  beforeAll(async () => {
    ui = await launchUi();
    for (const session of ['nightly-refactoring', 'nightly-refactoring', 'nightly-refactoring', 'short'])
      await ask(session);
  });
  afterAll(() => ui.close());

  test('they are tried on the past, saved, hold, and a person lets a session continue', async () => {
    const { page, problems, check, screenshot } = await ui.open('#/settings?section=sessions');
    const status = page.getByRole('status');
    const trial = page.getByRole('button', { name: 'Try on the past 7 days' });
    expect(await trial.isDisabled()).toBe(true);
    await page.getByLabel('Requests, at most').fill('2');
    await trial.click();
    const tried = page.getByRole('region', { name: 'Sessions that would have been stopped' });
    await tried.getByText('request 3 of 3').waitFor();
    expect(await tried.getByRole('link').allTextContents()).toContain('nightly-refactoring');
    expect(await status.filter({ hasText: 'would have been stopped' }).textContent()).toMatch(/^\d+ of \d+ sessions/);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();

    expect([await ask('short'), await ask('short'), await ask('nightly-refactoring')]).toEqual([200, 403, 403]);
    await page.reload();
    const stopped = page.getByRole('region', { name: 'Sessions that reached a limit' });
    await stopped.getByRole('button', { name: 'Let it continue: short' }).click();
    await stopped.getByText('Continues', { exact: true }).waitFor();
    expect([await ask('short'), await ask('nightly-refactoring')]).toEqual([200, 403]);

    await screenshot('session-limits-1360');
    expect(await check()).toEqual([]);
    await page.setViewportSize({ width: 480, height: 900 });
    await screenshot('session-limits-480');
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    expect(problems).toEqual([]);
  });
});
