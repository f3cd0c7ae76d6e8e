import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { examine } from './examine.ts';
import { API_KEY, launchUi, skipped, type Ui, type UiPage } from './launch-ui.ts';

let ui: Ui;
/** One for all of them. */
let screens: UiPage | undefined;
const ids = { job: '', destination: '' };

const SCREENS: readonly (readonly [string, () => string])[] = [
  ['videos', () => '#/videos'],
  ['video', () => `#/videos?open=${ids.job}`],
  ['videos-none', () => '#/videos?status=expired'],
  ['webhooks', () => '#/videos?view=webhooks'],
  ['destinations', () => '#/destinations'],
  ['destination', () => `#/destinations?open=${ids.destination}`],
  ['destination-selection', () => `#/destinations?open=${ids.destination}&tab=what`],
  ['destination-log', () => `#/destinations?open=${ids.destination}&tab=log`],
  ['providers', () => '#/providers'],
  ['provider', () => '#/providers?open=demo'],
  ['providers-none', () => '#/providers?q=nothing-has-this-name'],
];

/** The bridge that the desktop app puts into its window; it records the requests it receives. */
const DESKTOP = `
  const info = {
    version: '0.1.0', platform: 'linux', dataDir: '/data', secretStorage: 'plain', networkUrls: [], language: 'en',
    providerKeys: ['OPENAI_API_KEY'],
    state: { phase: 'not-listening', kind: 'taken', port: 8855, message: 'Port 8855 is taken by another program.' },
    settings: { port: 8855, startAtLogin: false, startHidden: false, closeToTray: true, shareOnNetwork: false, lookForUpdates: false, language: 'system' },
  };
  let tell = () => undefined;
  window.asked = [];
  const handlers = {
    changeSettings: (changes) => Object.assign(info.settings, changes),
    saveProviderKey: (name) => info.providerKeys.push(name),
    retryPort: () => (info.state = { phase: 'listening', port: 8861, url: 'http://127.0.0.1:8861' }),
  };
  const names = ['changeSettings', 'saveProviderKey', 'removeProviderKey', 'retryPort', 'backUp', 'openLogs'];
  window.desktop = {
    info: async () => structuredClone(info),
    onChange: (listener) => { tell = listener; return () => undefined; },
    ...Object.fromEntries(names.map((name) => [name, async (...asks) => {
      window.asked.push([name, ...asks]);
      handlers[name]?.(...asks);
      tell();
      return { done: true, message: '' };
    }])),
  };
`;

describe.skipIf(skipped !== undefined)(
  `the web UI for operators${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    beforeAll(async () => {
      ui = await launchUi();
      const film = { model: 'demo/video', prompt: 'a fox', duration: 4 };
      const job = await ui.call('/api/v1/videos', { key: API_KEY, body: film });
      ids.job = ((await job.json()) as { id: string }).id;
      const config = { url: 'https://hooks.example.com/', headers: { 'X-Token': 'CANARY-0123456789abcdef' } };
      const body = { type: 'webhook', name: 'Traces', enabled: false, config };
      const made = await ui.call('/api/v1/observability/destinations', { body });
      ids.destination = ((await made.json()) as { data: { id: string } }).data.id;
    }, 60_000);
    afterAll(() => ui?.close());

    test.each(SCREENS)(
      'shows %s without a fault, dark, light and narrow, so that all users can use it',
      async (name, hash) => {
        // Without motion, or a colour is looked at while it changes.
        screens ??= await ui.open('#/', { reducedMotion: 'reduce', isKept: true });
        await screens.go(hash());
        expect(await examine(screens, name)).toEqual([]);
      },
    );

    test('makes a video and shows it, by keyboard alone', async () => {
      const { page, problems } = await ui.open('#/');
      await page.keyboard.press('g');
      await page.keyboard.press('v');
      await page.getByRole('button', { name: 'New video' }).focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('Prompt').focus();
      await page.keyboard.type('a lighthouse');
      await page.getByRole('button', { name: 'Start' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('progressbar', { name: 'Estimated progress' }).first().waitFor();
      const panel = page.getByRole('region', { name: /^Video job/ });
      const film = panel.locator('video');
      await film.waitFor({ timeout: 40_000 });
      await expect
        .poll(() => film.evaluate((video) => (video as unknown as { videoWidth: number }).videoWidth))
        .toBe(640);
      await panel.getByText('a lighthouse').waitFor();
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(problems).toEqual([]);
    });

    test('sets up a destination, says what is wrong with it, and never shows its secrets', async () => {
      // With room for all columns beside the panel.
      const { page, problems, check } = await ui.open('#/destinations', { viewport: { width: 2200, height: 900 } });
      await page.getByRole('button', { name: 'New destination' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Bucket');
      await dialog.getByLabel('Address').fill('http://127.0.0.1/');
      await dialog.getByRole('button', { name: 'Create destination' }).click();
      await dialog.getByRole('alert').getByText('must lead to a public address').first().waitFor();
      expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
      expect(await check()).toEqual([]);
      await dialog.getByLabel('Address').fill('https://hooks.example.com/?token=CANARY-0123456789');
      await dialog.getByLabel(/^Enabled/).uncheck();
      await dialog.getByRole('button', { name: 'Create destination' }).click();
      await page.getByRole('tab', { name: 'What is sent' }).click();
      await page.getByLabel('Sample of sessions').fill('50');
      await page.getByRole('button', { name: 'Save' }).click();
      await page
        .getByRole('row', { name: /Bucket/ })
        .getByText('50 %')
        .waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete destination' }).click();
      const message = page.getByRole('listitem').filter({ hasText: '“Bucket” will be deleted' });
      await message.waitFor();
      await message.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('row', { name: /Bucket/ }).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: /Traces/ }).click();
      await expect.poll(() => page.getByLabel('Headers').inputValue()).toBe('X-Token: ********cdef');
      expect(await page.content()).not.toContain('CANARY');
      expect(problems).toEqual([]);
    });

    test('sets the callback address of each workspace, by keyboard, and says what is wrong with one', async () => {
      const made = await ui.call('/api/v1/workspaces', { body: { name: 'Film team', slug: 'film-team' } });
      expect(made.status).toBe(201);
      const { page, problems, check, screenshot } = await ui.open('#/settings?section=workspaces');
      const address = page.getByLabel('Default callback address');
      await page.getByRole('link', { name: 'Film team' }).focus();
      await page.keyboard.press('Enter');

      await address.focus();
      await page.keyboard.type('http://hooks.example.com/');
      await page.keyboard.press('Enter');
      await page.getByText('must begin with https://').first().waitFor();
      await screenshot('callback-address');
      expect(await check()).toEqual([]);
      expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);

      await address.focus();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('https://hooks.example.com/films');
      await page.keyboard.press('Enter');
      await page.getByText('Workspace saved', { exact: true }).waitFor();
      await page.reload();
      await expect.poll(() => address.inputValue()).toBe('https://hooks.example.com/films');
      expect(await (await ui.call('/api/v1/workspaces')).json()).toMatchObject({
        data: [{ default_callback_url: null }, { default_callback_url: 'https://hooks.example.com/films' }],
      });
      await page.getByRole('link', { name: 'All workspaces' }).click();
      await page.getByRole('link', { name: 'Default' }).click();
      await expect.poll(() => address.inputValue()).toBe('');
      expect(problems).toEqual([]);
    });

    test('under the desktop requires no sign-in, and changes the port', async () => {
      const { page, problems, check, screenshot } = await ui.open('#/settings?section=desktop');
      // The user of the app is the owner, also in a window that has no cookie.
      await page.addInitScript(DESKTOP);
      await page.reload();
      await page.getByText('Port 8855 is taken by another program.').waitFor();
      await page.getByText('no usable keyring').waitFor();
      expect(await check()).toEqual([]);
      await page.getByRole('button', { name: 'Use another port this time' }).click();
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.getByLabel('Start at login').check();
      await page.getByLabel('Name', { exact: true }).fill('OLLAMA_HOST');
      await page.getByLabel('Key', { exact: true }).fill('127.0.0.1:11434');
      await page.getByRole('button', { name: 'Save key' }).click();
      await page.getByText('This is an address, not a key').waitFor();
      expect(await check()).toEqual([]);
      await screenshot('desktop-address');
      await page.getByLabel('Name', { exact: true }).fill('groq_api_key');
      await page.getByLabel('Key', { exact: true }).fill('CANARY');
      await page.getByRole('button', { name: 'Save key' }).click();
      await page.getByRole('list', { name: 'Saved provider keys' }).getByText('GROQ_API_KEY').waitFor();
      expect(await page.evaluate('window.asked')).toEqual([
        ['retryPort', 0],
        ['changeSettings', { startAtLogin: true }],
        ['saveProviderKey', 'GROQ_API_KEY', 'CANARY'],
      ]);
      await page.context().clearCookies();
      await page.reload();
      await page.getByRole('heading', { name: 'Address for clients' }).waitFor();
      expect(await page.getByLabel('Management key').count()).toBe(0);
      expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    });
  },
);
