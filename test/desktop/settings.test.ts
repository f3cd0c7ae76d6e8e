import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DEFAULT_SETTINGS } from '@model-gateway/ui/desktop-bridge';
import { describe, expect, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { createUserDir, type DesktopApp, launchApp, skipped } from './desktop-app.ts';
import { handleDialogs } from './handle-dialogs.ts';

const boundsOf = ({ app }: DesktopApp) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds());

test('nothing is switched on by default: start at login, sharing and updates are off', () => {
  expect(DEFAULT_SETTINGS).toMatchObject({ startAtLogin: false, shareOnNetwork: false, lookForUpdates: false });
});

describe.skipIf(skipped !== undefined)(
  `settings of the desktop app${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('a window comes back where it was', async () => {
      const userDir = createUserDir();
      const bounds = { x: 120, y: 90, width: 800, height: 600 };
      const settings = { port: await freePort() };
      writeFileSync(
        join(userDir, 'settings.json'),
        JSON.stringify({ settings, window: { bounds, isMaximized: false } }),
      );
      const launched = await launchApp({ userDir });
      expect(await boundsOf(launched)).toEqual(bounds);
      await launched.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.setBounds({ x: 60, y: 40, width: 900, height: 500 }),
      );
      expect(await launched.quit()).toBe(0);
      const { window } = JSON.parse(readFileSync(join(userDir, 'settings.json'), 'utf8'));
      expect(window.bounds).toEqual({ x: 60, y: 40, width: 900, height: 500 });
    });

    test('a window that was on a screen which is gone comes back on one that is there', async () => {
      const userDir = createUserDir();
      const bounds = { x: 4000, y: 3000, width: 800, height: 600 };
      const settings = { port: await freePort() };
      writeFileSync(
        join(userDir, 'settings.json'),
        JSON.stringify({ settings, window: { bounds, isMaximized: false } }),
      );
      const launched = await launchApp({ userDir });
      const shown = await boundsOf(launched);
      const { width, height } = await launched.app.evaluate(({ screen }) => screen.getPrimaryDisplay().workArea);
      expect(shown?.x).toBeLessThan(width - 100);
      expect(shown?.y).toBeLessThan(height - 100);
    });

    test('a settings file that cannot be read is set aside, and the app starts without', async () => {
      const userDir = createUserDir();
      writeFileSync(join(userDir, 'settings.json'), '{"settings": {"port": ');
      const { info } = await launchApp({ userDir });
      expect((await info()).settings).toEqual(DEFAULT_SETTINGS);
      expect(readdirSync(userDir)).toContainEqual(expect.stringMatching(/^settings\.json\.corrupt-\d+$/));
    });

    test('do not take an address for a key, and say where it belongs', async () => {
      const { page, info, until } = await launchApp({ port: await freePort() });
      await until(({ state }) => state.phase === 'listening');
      await page.goto('app://gateway/#/settings?section=desktop');
      await page.getByLabel('Name', { exact: true }).click();
      await page.keyboard.type('OLLAMA_HOST');
      await page.keyboard.press('Tab');
      await page.keyboard.type('127.0.0.1:11434');
      await page.keyboard.press('Enter');
      await page.getByText('This is an address, not a key').waitFor();
      await page.getByText(/Add your own server .* under Providers/).waitFor();
      expect(await page.getByText('OLLAMA_HOST saved').count()).toBe(0);
      expect(await info()).toMatchObject({ providerKeys: [], state: { phase: 'listening', isDemo: true } });
    });

    test('call what answers by one name in the header and in the settings', async () => {
      const { page, until } = await launchApp({ port: await freePort() });
      await until(({ state }) => state.phase === 'listening');
      await page.goto('app://gateway/#/settings?section=desktop');
      const badge = page.getByRole('banner').getByRole('button', { name: /^Mode: / });
      await expect.poll(() => badge.textContent()).toBe('Demo');
      await badge.click();
      await page.getByRole('menuitemradio', { name: /^Demo/, checked: true }).waitFor();
      await page.keyboard.press('Escape');
      const mode = page.getByRole('radiogroup', { name: 'Mode' });
      await mode.getByRole('radio', { name: 'Demo', checked: true }).waitFor();
      expect(await mode.getByRole('radio', { name: 'Live' }).count()).toBe(0);
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-canary-of-the-mode-test'));
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      await mode.getByRole('radio', { name: 'Live', checked: true }).waitFor();
      await expect.poll(() => badge.textContent()).toBe('Live');
    });

    test('leave the demo from the list of providers, where one can be added then', async () => {
      const { page, until } = await launchApp({ port: await freePort() });
      await until(({ state }) => state.phase === 'listening' && state.isDemo === true);
      await page.goto('app://gateway/#/providers');
      await page.getByRole('button', { name: 'Leave the demo' }).click();
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      await page.getByRole('button', { name: 'Add a provider' }).first().waitFor();
      expect(await page.getByText('serve --no-demo').count()).toBe(0);
    });

    test('are exported without a key, and imported again', async () => {
      const port = await freePort();
      const { app, page, userDir, info } = await launchApp({ port });
      const file = join(createUserDir(), 'exported.json');
      await app.evaluate(({ dialog }, path) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] });
      }, file);
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-canary-of-the-export-test'));
      expect(await page.evaluate(() => window.desktop.exportSettings())).toMatchObject({ done: true });
      const { sealedKeys } = JSON.parse(readFileSync(join(userDir, 'settings.json'), 'utf8'));
      const exported = readFileSync(file, 'utf8');
      expect(JSON.parse(exported)).toEqual({ settings: { ...DEFAULT_SETTINGS, port, demo: true } });
      expect(exported).not.toContain(sealedKeys.OPENAI_API_KEY);
      writeFileSync(file, JSON.stringify({ settings: { closeToTray: false } }));
      expect(await page.evaluate(() => window.desktop.importSettings())).toMatchObject({ done: true });
      expect((await info()).settings).toMatchObject({ port, closeToTray: false });
      writeFileSync(file, JSON.stringify({ settings: { port: 'x' } }));
      expect(await page.evaluate(() => window.desktop.importSettings())).toMatchObject({ done: false });
    });

    test('deletes everything that was recorded once that is confirmed', async () => {
      const launched = await launchApp({ port: await freePort() });
      const { page, userDir, until } = launched;
      await until(({ state }) => state.phase === 'listening');
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-canary-of-the-wipe-test'));
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      mkdirSync(join(userDir, 'recordings/openai'), { recursive: true });
      writeFileSync(join(userDir, 'data/canary'), '');
      await handleDialogs(launched, 'Cancel');
      expect(await page.evaluate(() => window.desktop.wipe())).toMatchObject({ done: false });
      expect(existsSync(join(userDir, 'data/canary'))).toBe(true);
      await page.evaluate(async () => {
        localStorage.setItem('canary', 'typed');
        await new Promise((resolve) => (indexedDB.open('canary').onsuccess = resolve));
      });
      await handleDialogs(launched, 'Delete everything');
      // The page is loaded again, so that it cannot be asked what came of it.
      const reloaded = page.waitForEvent('load');
      await page.evaluate(() => void window.desktop.wipe());
      await reloaded;
      const kept = async () => [localStorage.getItem('canary'), (await indexedDB.databases()).map(({ name }) => name)];
      expect(await page.evaluate(kept)).toEqual([null, expect.not.arrayContaining(['canary'])]);
      const { providerKeys } = await until(({ state }) => state.phase === 'listening' && state.isDemo === true);
      expect(providerKeys).toEqual([]);
      expect(existsSync(join(userDir, 'data/canary'))).toBe(false);
      expect(existsSync(join(userDir, 'recordings'))).toBe(false);
    });
  },
);
