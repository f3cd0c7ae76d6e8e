import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { launchUi, skipped, type Ui } from '../e2e/launch-ui.ts';
import { type Echo, startEcho } from '../e2e/start-echo.ts';

const API_KEY = 'sk-gw-v1-pages-0123456789abcdef0123456789abcdef';
const MANAGEMENT_KEY = `${API_KEY}-management`;
const OTHER_MANAGEMENT_KEY = `${API_KEY}-other-management`;
/** Time within which a page is to know what has happened elsewhere. */
const LIMIT_MS = 2000;
/** A page that nobody touches asks every five seconds. */
const DEATH_LIMIT_MS = 6500;

// A key with a limit calls no model of which the cost is not known.
const PRICING = { prompt: '0.0000001', completion: '0.0000001' };

const toConfig = (echoUrl: string): object => ({
  auth: {
    bootstrapKeys: [
      { key: API_KEY, kind: 'api', name: 'dev' },
      { key: MANAGEMENT_KEY, kind: 'management', name: 'admin' },
      { key: OTHER_MANAGEMENT_KEY, kind: 'management', name: 'successor' },
    ],
  },
  webhooks: { allowPrivateNetwork: true },
  providers: [{ slug: 'here', name: 'Here', wire: 'openai', baseUrl: `${echoUrl}/v1` }],
  models: [
    {
      id: 'acme/echo',
      context_length: 8000,
      endpoints: [{ provider: 'here', providerModel: 'echo', pricing: PRICING }],
    },
    {
      id: 'acme/film',
      architecture: { input_modalities: ['text'], output_modalities: ['video'] },
      endpoints: [{ provider: 'here', providerModel: 'film' }],
    },
  ],
});

async function makeKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New key' }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByTestId('new-key').waitFor();
  await page.keyboard.press('Escape');
}

describe.skipIf(skipped !== undefined)(
  `several pages of the web UI${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    let ui: Ui;
    let echo: Echo;
    const launch = (): Promise<Ui> => launchUi({ config: toConfig(echo.url), managementKey: MANAGEMENT_KEY });
    const keyNames = async (): Promise<string[]> => {
      const { data } = (await (await ui.call('/api/v1/keys')).json()) as { data: { name: string }[] };
      return data.map(({ name }) => name);
    };
    beforeAll(async () => {
      echo = await startEcho();
      ui = await launch();
    }, 60_000);
    afterAll(async () => {
      await ui?.close();
      echo?.close();
    });

    test('show in one what was made in the other, within two seconds', async () => {
      const { page, problems } = await ui.open('#/keys');
      const other = await page.context().newPage();
      await other.goto(`${ui.url}/ui/#/keys`);
      await other.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await makeKey(page, 'Made in the first');
      await other.getByText('Made in the first').waitFor({ timeout: LIMIT_MS });
      await makeKey(other, 'Made in the second');
      await page.getByText('Made in the second').waitFor({ timeout: LIMIT_MS });
      expect(problems).toEqual([]);
    });

    /** As another page of this browser does, which the page hears nothing of. */
    const signInElsewhere = (page: Page, key: string) =>
      page.context().request.post(`${ui.url}/admin/v1/session`, { data: { key } });
    const nameOf = (page: Page) => page.getByTitle(/^Signed in with the key/).innerText();

    test('write on after the same user has signed in anew in another', async () => {
      const { page } = await ui.open('#/keys');
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await signInElsewhere(page, MANAGEMENT_KEY);
      await makeKey(page, 'Made with the new session');
      expect(await keyNames()).toContain('Made with the new session');
    });

    test('write nothing of one user as another who has signed in since, and show whose data they show', async () => {
      const { page } = await ui.open('#/keys');
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      expect(await nameOf(page)).toBe('admin');
      await signInElsewhere(page, OTHER_MANAGEMENT_KEY);
      await page.getByRole('button', { name: 'New key' }).first().click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('Typed by the first user');
      await page.keyboard.press('Enter');
      await expect.poll(() => nameOf(page), { timeout: 5000 }).toBe('successor');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await keyNames()).not.toContain('Typed by the first user');
    });

    test('show in one whom the other has signed in, before anything is written', async () => {
      const { page, problems } = await ui.open('#/keys');
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await ui.call('/api/v1/keys', { body: { name: 'There before' } });
      await signInElsewhere(page, OTHER_MANAGEMENT_KEY);
      const other = await page.context().newPage();
      await other.goto(`${ui.url}/ui/#/keys`);
      await expect.poll(() => nameOf(page), { timeout: LIMIT_MS }).toBe('successor');
      await page.getByText('There before').waitFor();
      expect(problems).toEqual([]);
    });

    test('keep no key that was typed in the playground once its user has signed out', async () => {
      const { page, problems } = await ui.open('#/playground?models=acme/echo');
      const change = page.getByRole('button', { name: 'Change key' });
      const field = page.getByLabel('Or enter a key');
      await change.or(field).first().waitFor();
      if (await change.isVisible()) await change.click();
      await field.fill(API_KEY);
      await field.press('Enter');
      await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
      const kept = 'JSON.stringify(Object.values(sessionStorage))';
      expect(await page.evaluate(kept)).toContain(API_KEY);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate(kept)).not.toContain(API_KEY);
      await page.getByLabel('Management key').fill(MANAGEMENT_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('banner').waitFor();
      // Nor does the page itself, which was not loaded again.
      await page.getByRole('textbox', { name: 'Message', exact: true }).or(field).first().waitFor();
      expect(await page.evaluate(kept)).not.toContain(API_KEY);
      expect(problems).toEqual([]);
    });

    test('show what was changed elsewhere when the user comes back', async () => {
      const { page, problems } = await ui.open('#/keys');
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await ui.call('/api/v1/keys', { body: { name: 'Made by a program' } });
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByText('Made by a program').waitFor({ timeout: LIMIT_MS });
      expect(problems).toEqual([]);
    });

    test('of two browsers call as one key of the playground, which neither holds', async () => {
      const { page, problems, screenshot } = await ui.open('#/playground?models=acme/echo');
      await page.getByRole('heading', { name: 'The playground needs an API key' }).waitFor();
      await screenshot('playground-key');
      await page.getByRole('button', { name: 'Create a key named “Playground” with a limit of $1.00' }).click();
      // What a person does next is to type.
      await expect
        .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"), { timeout: 5000 })
        .toBe('Message');
      const say = async (of: Page, text: string): Promise<void> => {
        await of.getByRole('textbox', { name: 'Message', exact: true }).click();
        await of.keyboard.type(text);
        await of.keyboard.press('Control+Enter');
        await of.getByRole('status').getByText('ok', { exact: true }).waitFor();
      };
      await say(page, 'Hello from the first');
      const second = await ui.open('#/playground?models=acme/echo');
      await say(second.page, 'Hello from the second');
      // A tab of its own, too, and one that was loaded again.
      const tab = await page.context().newPage();
      await tab.goto(`${ui.url}/ui/#/playground?models=acme/echo`);
      await say(tab, 'Hello from a tab');
      expect((await keyNames()).filter((name) => name === 'Playground')).toEqual(['Playground']);
      const kept = 'JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])';
      for (const of of [page, second.page, tab]) expect(await of.evaluate(kept)).not.toContain('sk-gw');
      await second.go('#/keys');
      await second.page.getByRole('row', { name: /Playground/ }).waitFor();
      expect([...problems, ...second.problems]).toEqual([]);
    });

    test('of two browsers that ask for a key at once make one key of the playground', async () => {
      const own = await launch();
      onTestFinished(() => own.close(), 60_000);
      const pages = [await own.open('#/playground?models=acme/echo'), await own.open('#/playground?models=acme/echo')];
      const make = (page: Page) => page.getByRole('button', { name: /^Create a key named “Playground”/ });
      for (const { page } of pages) await make(page).waitFor();
      await Promise.all(pages.map(({ page }) => make(page).click()));
      const chosen = "sessionStorage.getItem('model-gateway.playground-key')";
      // A browser that has made a second one takes it back before it chooses.
      for (const { page } of pages) await expect.poll(() => page.evaluate(chosen)).toMatch(/^hash:/);
      const { data } = (await (await own.call('/api/v1/keys')).json()) as { data: { name: string; hash: string }[] };
      expect(data.map(({ name }) => name)).toEqual(['Playground']);
      for (const { page } of pages) expect(await page.evaluate(chosen)).toBe(`hash:${data[0]?.hash}`);
    });

    test('let the user choose another key to call as', async () => {
      await ui.call('/api/v1/keys', { body: { name: 'Other' } });
      const { page, problems, go } = await ui.open('#/playground?models=acme/echo');
      const change = page.getByRole('button', { name: 'Change key' });
      // The test before may have been left out.
      if (await change.isVisible()) await change.click();
      await page.getByLabel('Or use another key').selectOption('Other');
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).click();
      await page.keyboard.type('Hello');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
      await go('#/generations');
      await page.getByRole('search').hover();
      await expect.poll(() => page.getByLabel('Key').innerText()).toMatch(/Other \(1\)/);
      expect(problems).toEqual([]);
    });

    test('ask for a key for a video under the heading of the video', async () => {
      const own = await launch();
      onTestFinished(() => own.close(), 60_000);
      const { page, problems, screenshot } = await own.open('#/videos');
      await page.getByRole('button', { name: 'New video' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New video' });
      await dialog.getByRole('button', { name: /^Create a key/ }).waitFor();
      await screenshot('video-key');
      expect(await dialog.getByRole('heading').allInnerTexts()).toEqual(['New video', 'Videos need an API key']);
      await dialog.getByRole('button', { name: /^Create a key/ }).click();
      await dialog.getByLabel('Prompt').waitFor();
      await page.keyboard.type('A fox');
      expect(await dialog.getByLabel('Prompt').inputValue()).toBe('A fox');
      expect(problems).toEqual([]);
    });

    test.each(['', 'generations', 'settings'])(
      'know within six seconds that the gateway has died: /%s',
      async (hash) => {
        const own = await launch();
        onTestFinished(() => own.close(), 60_000);
        const { page } = await own.open(`#/${hash}`);
        const pill = page.getByRole('banner').getByRole('status');
        await pill.getByText('Running').waitFor();
        if (hash === '') await page.getByRole('button', { name: 'Skip' }).click();
        own.kill();
        await pill.getByText('Unreachable').waitFor({ timeout: DEATH_LIMIT_MS });
        if (hash === '') await page.getByRole('main').getByText('The gateway can’t be reached').waitFor();
      },
    );
  },
);
