import { createJsonFileStore } from '@model-gateway/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { toContent, toRecord } from '../support/stores/generation-records.ts';

const DAY_MS = 86_400_000;

/** What a field of a page has, and this program's types have not. */
interface Validated {
  readonly validity: { readonly rangeOverflow: boolean };
}

/** A request a day, from so many days ago until today. Each day has a start of its own, which begins its files. */
async function fillDays(dir: string, days: number): Promise<void> {
  for (let day = days; day >= 0; day -= 1) {
    const now = Date.now() - day * DAY_MS;
    const store = await createJsonFileStore({ dir, now: () => now, trustsClock: true });
    const created_at = new Date(now).toISOString();
    await store.generations.append(toRecord(`gen-${day}`, { generation: { created_at } }), toContent('Hello'));
    await store.close();
  }
}

describe.skipIf(skipped !== undefined)(`retention (${skipped ?? 'in Chromium'})`, () => {
  let ui: Ui;
  const count = async (): Promise<number> => {
    const response = await ui.call('/admin/v1/generations?limit=100');
    return ((await response.json()) as { data: unknown[] }).data.length;
  };
  beforeAll(async () => {
    ui = await launchUi({ prepareData: (dir) => fillDays(dir, 20) });
  });
  afterAll(() => ui.close());

  test('it is counted and asked before anything is deleted', async () => {
    const { page, problems, check } = await ui.open('#/settings?section=data');
    const card = page.getByRole('region', { name: 'Retention' });
    await card.getByText('Leave empty to use the 30 days of the configuration').waitFor();
    expect(await check()).toEqual([]);
    await card.getByLabel('Keep requests for days').focus();
    await page.keyboard.type('25');
    await card.getByText('This deletes nothing now.').waitFor();
    const contents = card.getByLabel('Keep prompts and responses for days');
    await contents.fill('26');
    await page.keyboard.press('Enter');
    expect(await contents.evaluate((field) => (field as unknown as Validated).validity.rangeOverflow)).toBe(true);
    await contents.fill('5');
    await card.getByLabel('Keep requests for days').fill('10');
    const sentence = /^This deletes 10 requests and the prompts and responses of 15 requests \(.*B\) now\.$/;
    await card.getByText(sentence).waitFor();
    await card.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(sentence).waitFor();
    expect(await check()).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await count()).toBe(21);
    await card.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Save and delete' }).click();
    await page.getByText('Retention saved', { exact: true }).waitFor();
    expect(await count()).toBe(11);
    expect((await ui.call('/api/v1/generation/content?id=gen-7')).status).toBe(404);
    expect((await ui.call('/api/v1/generation/content?id=gen-2')).status).toBe(200);
    await page.reload();
    await expect.poll(() => card.getByLabel('Keep requests for days').inputValue()).toBe('10');
    expect(problems).toEqual([]);
  });

  test('the audit log has days of its own, which are asked before they are fewer', async () => {
    const { page, problems } = await ui.open('#/settings?section=data');
    const card = page.getByRole('region', { name: 'Retention' });
    await card.getByLabel('Keep the audit log for days').fill('90');
    await card.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Older records of the audit log are deleted too.').waitFor();
    await dialog.getByRole('button', { name: 'Save and delete' }).click();
    await page.getByText('Retention saved', { exact: true }).waitFor();
    const { data } = (await (await ui.call('/admin/v1/retention')).json()) as { data: object };
    expect(data).toMatchObject({ audit_days: 90, configured_audit_days: 365 });
    expect(problems).toEqual([]);
  });

  test('it fits a narrow window in German', async () => {
    const viewport = { width: 480, height: 900 };
    const { page, problems, check } = await ui.open('#/settings?section=data', { locale: 'de-DE', viewport });
    await page.getByLabel('Anfragen behalten (Tage)').fill('6');
    await page.getByText(/^Das löscht jetzt/).waitFor();
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    expect(await check()).toEqual([]);
    expect(problems).toEqual([]);
  });
});
