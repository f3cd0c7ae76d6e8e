import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { WIDTH } from '../e2e/examine.ts';
import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';

const KEY = 'sk-gw-v1-people-management';
const SCIM_TOKEN = 'scim-token-0123456789';

describe.skipIf(skipped !== undefined)(`people (${skipped ?? 'in Chromium'})`, { timeout: 60_000 }, () => {
  let ui: Ui;
  let mia = '';
  let lab = '';
  beforeAll(async () => {
    ui = await launchUi({
      managementKey: KEY,
      config: {
        auth: { bootstrapKeys: [{ key: KEY, kind: 'management', name: 'admin' }] },
        scim: { token: SCIM_TOKEN },
        signIn: {
          proxy: { header: 'X-User', trustedAddresses: ['203.0.113.1'] },
          groups: { platform: { role: 'administrator' } },
        },
        providers: [],
      },
    });
    const create = async (path: string, body: object, key = KEY): Promise<string> => {
      const created = (await (await ui.call(path, { body, key })).json()) as { id?: string; data?: { id: string } };
      return created.data?.id ?? created.id ?? '';
    };
    mia = await create(
      '/scim/v2/Users',
      { userName: 'mia@example.com', name: { givenName: 'Mia', familyName: 'Ito' } },
      SCIM_TOKEN,
    );
    await create('/scim/v2/Groups', { displayName: 'Research', members: [{ value: mia }] }, SCIM_TOKEN);
    lab = await create('/api/v1/workspaces', { name: 'Lab', slug: 'lab' });
  });
  afterAll(() => ui.close());

  test('a group shows its members, and gives a workspace, another role in it, and takes it away', async () => {
    const { page, problems, check, screenshot } = await ui.open('#/members');
    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    await page.getByRole('row', { name: /platform.*Sign-in.*Administrator/ }).waitFor();
    await page.getByRole('row', { name: /Research.*Directory.*1.*nothing/ }).click();
    const panel = page.getByRole('region', { name: 'Group Research' });
    await panel.getByRole('link', { name: 'Mia Ito' }).waitFor();
    await panel.getByLabel('Workspace', { exact: true }).selectOption({ label: 'Lab' });
    await panel.getByRole('button', { name: 'Add workspace' }).click();
    await page.getByRole('row', { name: /Research.*Lab \(Member\)/ }).waitFor();
    const membersOf = async (): Promise<unknown> =>
      ((await (await ui.call(`/api/v1/workspaces/${lab}/members`)).json()) as { data: unknown }).data;
    expect(await membersOf()).toMatchObject([{ user_id: mia, role: 'member' }]);
    await panel.getByText('The group has a role in every workspace.').waitFor();
    await panel.getByLabel('Role in Lab').selectOption('admin');
    await page.getByRole('row', { name: /Research.*Lab \(Administrator\)/ }).waitFor();
    expect(await membersOf()).toMatchObject([{ role: 'admin' }]);
    await screenshot('groups-1360');
    expect(await check()).toEqual([]);
    await page.setViewportSize({ width: 480, height: 900 });
    expect(await page.evaluate<number>(WIDTH)).toBeLessThanOrEqual(480);
    await page.getByRole('button', { name: 'Remove Lab…' }).click();
    await page
      .getByRole('dialog', { name: /Take “Lab” away/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await page.getByText('This group gives access to no workspace.').waitFor();
    expect(await membersOf()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('the budgets of a member and of a workspace are raised until a time, and as before again', async () => {
    const { page, problems, check, go } = await ui.open(`#/members/${encodeURIComponent(mia)}`);
    for (const place of ['', `#/settings?section=workspaces&workspace=${lab}`]) {
      if (place !== '') await go(place);
      await page.getByRole('button', { name: 'Raise budgets…' }).click();
      await page.getByLabel('Amount, USD').fill('20');
      await page.getByLabel('Until').fill('2199-01-01T10:00');
      await page.getByRole('button', { name: 'Raise', exact: true }).click();
      await page.getByText(/^Budgets raised by \$20.00 until /).waitFor();
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'End now' }).click();
      await page.getByText(/^Budgets raised by/).waitFor({ state: 'detached' });
    }
    expect(problems).toEqual([]);
  });
});
