import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const PATH = '/api/v1/observability/destinations';

describe.skipIf(skipped !== undefined)(
  `destinations${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    beforeAll(async () => {
      ui = await launchUi();
    }, 60_000);
    afterAll(() => ui?.close(), 60_000);

    async function create(name: string): Promise<string> {
      const body = { type: 'webhook', name, config: { url: 'https://hooks.example/T0' } };
      const { data } = (await (await ui.call(PATH, { body })).json()) as { data: { id: string } };
      return data.id;
    }
    const read = async (id: string): Promise<unknown> => (await ui.call(`${PATH}/${id}`)).json();

    test('a rule takes a number with decimals, digit by digit', async () => {
      const id = await create('Expensive requests');
      const { page, problems } = await ui.open(`#/destinations?open=${id}&tab=what`);
      await page.getByRole('button', { name: 'Rule', exact: true }).click();
      await page.getByLabel('Field of group 1, rule 1').selectOption('total_cost');
      await page.getByLabel('Comparison of group 1, rule 1').selectOption('gt');
      const value = page.getByLabel('Value of group 1, rule 1');
      await value.pressSequentially('0.05');
      expect(await value.inputValue()).toBe('0.05');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved. Pending deliveries are retried now.').first().waitFor();
      const rules = [{ field: 'total_cost', operator: 'gt', value: 0.05 }];
      expect(await read(id)).toMatchObject({ data: { filter_rules: { groups: [{ rules }] } } });
      expect(problems).toEqual([]);
    });

    test('one that is about to be deleted is deleted when the page is loaded again before', async () => {
      const id = await create('Old traces');
      const { page } = await ui.open(`#/destinations?open=${id}`);
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete destination' }).click();
      await page.getByText('“Old traces” will be deleted').first().waitFor();
      expect(await read(id)).toMatchObject({ data: { enabled: false } });
      await page.reload();
      await expect.poll(async () => (await ui.call(`${PATH}/${id}`)).status).toBe(404);
    });
  },
);
