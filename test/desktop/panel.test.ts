import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { createUserDir, type DesktopApp, type HiddenApp, launchApp, launchHidden, skipped } from './desktop-app.ts';
import { type TrayWatcher, watchTray } from './tray-watcher.ts';

const chat = (port: number, content: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-gw-v1-demo', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content }] }),
  });

/** Opens the panel by the tray's menu, or as is said. */
async function openPanel({ app }: HiddenApp, tray: TrayWatcher, open = () => tray.click('Quick panel')) {
  const opened = app.waitForEvent('window');
  await open();
  const panel = await opened;
  await panel.getByRole('main').waitFor();
  return panel;
}

const countPages = ({ app }: HiddenApp): Promise<number> =>
  app.evaluate((electron) => electron.app.getAppMetrics().filter(({ type }) => type === 'Tab').length);

describe.skipIf(skipped !== undefined)(
  `the quick panel${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('shows the state, the spending and the latest calls, of which one opens in the main window', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const launched = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      const panel = await openPanel(launched, tray, tray.clickIcon);
      await panel.getByText('No requests yet.').waitFor();
      const failed = await chat(port, 'demo: rate limit');
      await (await chat(port, 'Hello')).text();
      // It follows what happens while it is open.
      await panel.getByRole('listitem').nth(1).waitFor();
      expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
        expect.stringMatching(/^\d\d:\d\d\s*demo\/chat\s*\$0\.00\d+\s*ok$/),
        expect.stringMatching(/^\d\d:\d\d\s*demo\/chat\s*\$0\.00\s*failed$/),
      ]);
      await panel.getByText(`http://127.0.0.1:${port}/api/v1`).waitFor();
      await panel.getByText('requests today').waitFor();
      const opened = launched.app.waitForEvent('window');
      await panel.getByRole('listitem').nth(1).getByRole('button').click();
      const id = failed.headers.get('x-generation-id') ?? '';
      await (await opened).getByRole('main').getByText(id).first().waitFor();
      await expect.poll(() => panel.isClosed()).toBe(true);
      await expect.poll(() => countPages(launched)).toBe(1);
    });

    test('copies the address, pauses, says why a mode is of no use, and ends with Escape or without the focus', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const launched = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      const panel = await openPanel(launched, tray);
      await panel.getByRole('button', { name: 'Copy address' }).click();
      await panel.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await launched.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(
        `http://127.0.0.1:${port}/api/v1`,
      );
      await panel.getByRole('button', { name: 'Pause' }).click();
      await panel.getByText('Paused').waitFor();
      await tray.until((labels) => labels.includes('Paused'));
      await panel.getByRole('button', { name: 'Resume' }).click();
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      expect(await panel.getByRole('radio', { name: 'Demo', checked: true }).count()).toBe(1);
      expect(await panel.getByRole('radio', { name: 'Replay' }).getAttribute('title')).toBe('nothing is recorded');
      // The app may close it before the press is reported.
      await panel.keyboard.press('Escape').catch(() => undefined);
      await expect.poll(() => countPages(launched)).toBe(0);

      await openPanel(launched, tray);
      await launched.app.evaluate(({ BrowserWindow }) => void BrowserWindow.getAllWindows()[0]?.emit('blur'));
      await expect.poll(() => countPages(launched)).toBe(0);
    });

    test('speaks the language of the settings, as the tray does', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const launched = await launchApp({ tray, port, settings: { language: 'de' } });
      await tray.until((labels) => labels.includes(`Läuft auf 127.0.0.1:${port} (Demo)`));
      const panel = await openPanel(launched, tray, () => tray.click('Kurzübersicht'));
      await panel.getByText('Noch keine Anfragen.').waitFor();
      expect(await panel.evaluate(() => document.documentElement.lang)).toBe('de');
      await launched.page.evaluate(() => window.desktop.changeSettings({ language: 'en' }));
      await tray.until((labels) => labels.includes('Quick panel'));
      await panel.getByText('No requests yet.').waitFor();
    });

    test('has a shortcut that is off until its keys are pressed in the settings, and that two programs cannot have', async () => {
      const keys = 'Control+Alt+Shift+F9';
      const [first, second] = [
        await launchApp({ port: await freePort() }),
        await launchApp({ port: await freePort() }),
      ];
      const press = async ({ page }: DesktopApp): Promise<void> => {
        await page.goto('app://gateway/#/settings?section=desktop');
        await page.getByLabel('Shortcut of the quick panel').press(keys);
      };
      const isHeld = (): Promise<boolean> =>
        first.app.evaluate(({ globalShortcut }, held) => globalShortcut.isRegistered(held), keys);
      expect(await isHeld()).toBe(false);
      await press(first);
      await first.until(({ settings }) => settings.shortcut === keys);
      expect(await isHeld()).toBe(true);
      await press(second);
      await second.page.getByText('another program uses it').first().waitFor();
      expect((await second.info()).settings.shortcut).toBe('');
      await first.page.getByRole('button', { name: 'Turn off' }).click();
      await first.until(({ settings }) => settings.shortcut === '');
      expect(await first.page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      expect(await isHeld()).toBe(false);
      await press(second);
      await second.until(({ settings }) => settings.shortcut === keys);
    });
  },
);

describe.skipIf(skipped !== undefined)(
  `the first run of the desktop app${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('begins with setting a provider up, and has the demo one click away', async () => {
      const { page, until } = await launchApp({ port: await freePort(), settings: { demo: false } });
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      await page.getByRole('heading', { name: 'Add your first provider' }).waitFor();
      await page.getByRole('button', { name: 'Add a provider' }).waitFor();
      await page.getByRole('button', { name: 'Look around in the demo' }).click();
      await until(({ state }) => state.phase === 'listening' && state.isDemo === true);
      await page.getByRole('heading', { name: 'Provider ready' }).waitFor();
      await page.getByRole('button', { name: 'Leave the demo and add a provider' }).click();
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      await page.getByRole('heading', { name: 'Add your first provider' }).waitFor();
    });

    test('seals what is set up with a file beside the data where no keyring protects anything', async () => {
      const [port, userDir] = [await freePort(), createUserDir()];
      const first = await launchApp({ port, userDir, settings: { demo: false } });
      await first.until(({ state }) => state.phase === 'listening');
      const status = await first.page.evaluate(async () => {
        // Nothing listens there: the test depends on no resolver.
        const provider = { preset: 'groq', baseUrl: 'http://127.0.0.1:9/openai/v1' };
        const body = JSON.stringify({ ...provider, apiKey: 'sk-canary-of-the-sealing-test' });
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/admin/v1/setup/providers', { method: 'POST', headers, body })).status;
      });
      expect(status).toBe(201);
      const read = (name: string): string => readFileSync(join(userDir, name), 'utf8');
      expect(read('data/secrets.key')).toMatch(/^[0-9a-f]{64}\n$/);
      expect(read('data/config.json') + read('settings.json')).not.toContain('canary');
      expect(JSON.parse(read('settings.json'))).not.toHaveProperty('sealingKey');
      expect(await first.quit()).toBe(0);
      const { page, until } = await launchApp({ userDir });
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      const setups = await page.evaluate(async () => (await fetch('/admin/v1/setup/providers')).json());
      expect(setups.data).toEqual([expect.objectContaining({ slug: 'groq', problem: null })]);
    });
  },
);
