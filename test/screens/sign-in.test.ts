import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { CLIENT, type RunningProvider, startOidcProvider } from '../support/sign-in/start-oidc-provider.ts';

describe.skipIf(skipped !== undefined)(
  `sign-in by a provider of identity (${skipped ?? 'in Chromium'})`,
  { timeout: 60_000 },
  () => {
    let provider: RunningProvider;
    let ui: Ui;
    beforeAll(async () => {
      provider = await startOidcProvider();
      const proxy = { header: 'X-User', groupsHeader: 'X-Groups', trustedAddresses: ['127.0.0.1'] };
      const oidc = { ...CLIENT, issuer: provider.issuer, label: 'Acme' };
      ui = await launchUi({
        config: {
          signIn: { oidc, proxy, groups: { leads: { role: 'administrator' } } },
          providers: [{ slug: 'up', wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-up' }],
        },
      });
      provider.serve([ui.url]);
      provider.people.set('u-ada', { email: 'ada@acme.example', name: 'Ada Byron', groups: ['leads'] });
      provider.people.set('u-bob', { email: 'bob@acme.example', name: 'Bob', groups: [] });
    });
    afterAll(async () => {
      await ui.close();
      await provider.close();
    });

    test('a user signs in there, lands on the screen that was asked for, and signs out of both', async () => {
      const { page, check, screenshot } = await ui.open('#/members', { isSignedIn: false });
      expect(await check()).toEqual([]);
      await screenshot('sign-in-by-provider');
      await page.getByRole('button', { name: 'Continue with Acme' }).click();
      await page.getByLabel('User').fill('u-ada');
      await page.getByRole('button', { name: 'Sign in there' }).click();
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
      await page.getByText('Ada Byron').first().waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByRole('button', { name: 'Continue with Acme' }).waitFor();
      // The provider has forgotten them, too.
      await page.getByRole('button', { name: 'Continue with Acme' }).click();
      await page.getByLabel('User').fill('u-bob');
      await page.getByRole('button', { name: 'Sign in there' }).click();
      await page.getByText('None of your groups may sign in here.').waitFor();
      expect(page.url()).toBe(`${ui.url}/ui/`);
      expect(await check()).toEqual([]);
    });

    test('behind a trusted proxy the page is signed in as it loads, and says why not', async () => {
      const behind = (user: string, groups: string) =>
        ui.open('#/members', { isSignedIn: false, extraHTTPHeaders: { 'x-user': user, 'x-groups': groups } });
      const { page, problems } = await behind('grace', 'leads');
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
      await page.getByText('grace').first().waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Continue as grace' }).click();
      await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
      expect(problems).toEqual([]);
      const { page: refused } = await behind('mallory', 'guests');
      await refused.getByText('None of the groups of this user may sign in here').waitFor();
    });
  },
);
