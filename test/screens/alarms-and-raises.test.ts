import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { launchUi, MANAGEMENT_KEY, skipped, type Ui } from '../e2e/launch-ui.ts';

describe.skipIf(skipped !== undefined)(`alarms and raises (${skipped ?? 'in Chromium'})`, { timeout: 60_000 }, () => {
  let ui: Ui;
  beforeAll(async () => {
    ui = await launchUi();
  });
  afterAll(() => ui.close());

  test('they are created, edited, silenced, tested and deleted, and a bad address is refused at its field', async () => {
    const { page, problems, check, screenshot } = await ui.open('#/settings?section=alarms');
    await page.getByText('There are no alarms yet.').waitFor();
    await page.getByRole('button', { name: 'New alarm' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Monthly spend');
    await page.getByLabel('Alarm on').selectOption('spend_spike');
    await page.getByLabel('Threshold').fill('3');
    await page.getByLabel('Address', { exact: true }).fill('http://hooks.example/alarms');
    await page.getByRole('button', { name: 'Create alarm' }).click();
    await page.getByText('must begin with https://').first().waitFor();
    await screenshot('alarm-form-1360');
    expect(await check()).toEqual([]);
    await page.getByLabel('Address', { exact: true }).fill('https://hooks.example/alarms');
    await page.getByRole('button', { name: 'Create alarm' }).click();
    const list = page.getByRole('region', { name: 'Alarms' });
    await list.getByText('Spend spike ≥ 3 × · The account · once per month').waitFor();

    await screenshot('alarms-1360');
    expect(await check()).toEqual([]);
    // Nothing has a name but this machine.
    const choose = async (action: string) => {
      await list.getByRole('button', { name: 'Actions for Monthly spend' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Send a test');
    await page.getByText(/^The test was not delivered: /).waitFor();
    await list.getByRole('button', { name: 'Edit: Monthly spend' }).click();
    await page.getByLabel('Alarm on').selectOption('duration_ms');
    await page.getByLabel('Threshold').fill('9000');
    await page.getByLabel('Minimum requests').fill('25');
    await page.getByLabel('Silenced until').fill('2199-01-01T10:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await list.getByText('Duration of requests ≥ 9,000 ms').waitFor();
    await list.getByText(/^Silenced until /).waitFor();
    await page.setViewportSize({ width: 480, height: 900 });
    await screenshot('alarms-480');
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    await choose('Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no alarms yet.').waitFor();
    // The refused address, which the test asked for.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });

  test('another kind looks at what it can, over a time that it has, and a key that is gone stays to be seen', async () => {
    const key = await ui.call('/api/v1/keys', { body: { name: 'Watched' }, key: MANAGEMENT_KEY });
    const { data } = (await key.json()) as { data: { hash: string } };
    const body = {
      name: 'Slow',
      what: 'duration_ms',
      of: `key:${data.hash}`,
      threshold: 9,
      window_minutes: 15,
      to: [],
    };
    expect((await ui.call('/admin/v1/alarms', { body, key: MANAGEMENT_KEY })).status).toBe(201);
    const { page, problems, go, screenshot } = await ui.open('#/settings?section=alarms');
    const list = page.getByRole('region', { name: 'Alarms' });
    const chosen = (label: string) => page.getByLabel(label, { exact: true }).locator('option:checked').innerText();
    await list.getByRole('button', { name: 'Edit: Slow' }).click();
    await expect.poll(() => chosen('Of')).toBe('Key: Watched');
    await page.getByLabel('Alarm on').selectOption('spend_spike');
    expect([await chosen('Of'), await chosen('Compare the last')]).toEqual(['Key: Watched', 'Hour']);
    await page.getByLabel('Alarm on').selectOption('guardrail_hits');
    expect(await chosen('Of')).toBe('The account');
    await page.getByRole('button', { name: 'Save' }).click();
    await list.getByText('Guardrail hits ≥ 9 · The account').waitFor();
    const orphan = { ...body, name: 'Orphan' };
    expect((await ui.call('/admin/v1/alarms', { body: orphan, key: MANAGEMENT_KEY })).status).toBe(201);
    const authorization = `Bearer ${MANAGEMENT_KEY}`;
    await fetch(`${ui.url}/api/v1/keys/${data.hash}`, { method: 'DELETE', headers: { authorization } });
    await go('#/settings?section=alarms');
    await list.getByRole('button', { name: 'Edit: Orphan' }).click();
    expect(await chosen('Of')).toBe(`key:${data.hash.slice(0, 16)}…`);
    await screenshot('alarm-of-a-key-that-is-gone');
    expect(problems).toEqual([]);
  });

  test('what is not changed of an alarm is not sent, so that it does not begin anew', async () => {
    const body = { name: 'Errors', what: 'error_rate', threshold: 50, to: [] };
    expect((await ui.call('/admin/v1/alarms', { body, key: MANAGEMENT_KEY })).status).toBe(201);
    const { page, problems } = await ui.open('#/settings?section=alarms');
    const edit = page.getByRole('button', { name: 'Edit: Errors' });
    await edit.click();
    await page.getByLabel('Name', { exact: true }).fill('Failures');
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.method() === 'PATCH'),
      page.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(request.postDataJSON()).toEqual({ name: 'Failures' });
    await page.getByRole('button', { name: 'Edit: Failures' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('the address of an alarm opens its history', async () => {
    const body = { name: 'Refusals', what: 'key_refused', threshold: 5, to: [] };
    const created = await ui.call('/admin/v1/alarms', { body, key: MANAGEMENT_KEY });
    const { data } = (await created.json()) as { data: { id: string } };
    const { page, problems } = await ui.open(`#/settings?section=alarms&open=${data.id}`);
    const dialog = page.getByRole('dialog', { name: 'Refusals' });
    await dialog.getByText('This alarm has not fired yet.').waitFor();
    expect(problems).toEqual([]);
  });

  test('the limit of a key is raised until a time on its page, and lowered again there', async () => {
    const made = await ui.call('/api/v1/keys', { body: { name: 'Nightly', limit: 5 }, key: MANAGEMENT_KEY });
    const { data } = (await made.json()) as { data: { hash: string } };
    const { page, problems, check } = await ui.open(`#/keys/${data.hash}`);
    await page.getByRole('button', { name: 'Raise limit…' }).click();
    await page.getByLabel('Amount, USD').fill('20');
    await page.getByLabel('Until').fill('2001-01-01T10:00');
    await page.getByRole('button', { name: 'Raise', exact: true }).click();
    await page.getByText('must be in the future').first().waitFor();
    await page.getByLabel('Until').fill('2199-01-01T10:00');
    await page.getByRole('button', { name: 'Raise', exact: true }).click();
    await page.getByText(/^Raised by \$20.00 from \$5.00 until /).waitFor();
    await page.getByText('$0 / $25.00').waitFor();
    expect(await check()).toEqual([]);
    await page.getByRole('button', { name: 'End now' }).click();
    await page.getByText('$0 / $5.00').waitFor();
    // The refused time, which the test asked for.
    expect(problems.filter((problem) => !problem.includes('400'))).toEqual([]);
  });
});
