import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

describe.skipIf(skipped !== undefined)(`alarms (${skipped ?? 'in Chromium'})`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  });
  afterAll(() => ui.close());

  test('they are created, tested and deleted, and a bad address is refused at its field', async () => {
    const { page, problems, check, screenshot } = await ui.open('#/settings?section=alarms');
    await page.getByText('There are no alarms yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Monthly spend');
    await page.getByLabel('Alarm on').selectOption('projected_usd');
    await page.getByLabel('Threshold').fill('250');
    await page.getByLabel('Address', { exact: true }).fill('http://hooks.example/alarms');
    await page.getByRole('button', { name: 'New alarm' }).click();
    await page.getByText('must begin with https://').first().waitFor();
    await page.getByLabel('Address', { exact: true }).fill('https://hooks.example/alarms');
    await page.getByRole('button', { name: 'New alarm' }).click();
    const list = page.getByRole('region', { name: 'Alarms' });
    await list.getByText('Expected spend, USD').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');

    await screenshot('alarms-1360');
    expect(await check()).toEqual([]);
    // Nothing has a name but this machine.
    await list.getByRole('button', { name: 'Test: Monthly spend' }).click();
    await page.getByText(/^The test was not delivered: /).waitFor();
    await page.setViewportSize({ width: 480, height: 900 });
    await screenshot('alarms-480');
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    await list.getByRole('button', { name: 'Delete: Monthly spend' }).click();
    await page.getByText('There are no alarms yet.').waitFor();
    // The refused address, which the test asked for.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });
});
