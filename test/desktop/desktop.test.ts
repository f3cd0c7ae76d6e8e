import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { freePort } from '../support/test-run/free-port.ts';
import { createUserDir, type DesktopApp, launchAgain, launchApp, skipped } from './desktop-app.ts';
import { handleDialogs, askedOf } from './handle-dialogs.ts';
import { watchTray } from './tray-watcher.ts';

const DEMO_KEY = 'sk-gw-v1-demo';
/** Its response is short, and comes at the pace of a reader. */
const QUESTION = 'Write a haiku about the sea.';

const chat = (url: string, stream = false): Promise<Response> =>
  fetch(`${url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', stream, messages: [{ role: 'user', content: QUESTION }] }),
  });

describe.skipIf(skipped !== undefined)(
  `the desktop app${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    describe('just installed', () => {
      const ends: (() => void | Promise<void>)[] = [];
      let shared: DesktopApp;
      beforeAll(async () => {
        shared = await launchApp({ port: await freePort(), atEnd: (end) => ends.push(end) });
      });
      afterAll(async () => {
        for (const end of ends.toReversed()) await end();
      });

      test('serves clients on localhost and shows their generations without a port of its own', async () => {
        const { page, until } = shared;
        const { state } = await until(({ state: { phase, port } }) => phase === 'listening' && port !== 8855);
        const response = await chat(state.url ?? '', true);
        expect(await response.text()).toContain('data: [DONE]');
        const id = response.headers.get('x-generation-id') ?? '';
        const seen = await page.evaluate(async (asked) => (await fetch(`/api/v1/generation?id=${asked}`)).json(), id);
        expect(seen).toMatchObject({ data: { id, model: 'demo/chat', streamed: true, finish_reason: 'stop' } });
      });

      test('opens its window signed in, and prints no link for a browser', async () => {
        const { app, page } = shared;
        let printed = '';
        app.process().stderr?.on('data', (data) => (printed += String(data)));
        await page.reload();
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        expect(await page.getByLabel('Management key').count()).toBe(0);
        expect(await page.getByText('Page not found').count()).toBe(0);
        expect(page.url()).not.toContain('token');
        expect(printed).not.toContain('/ui/#');
      });

      test('streams a response to its window piece by piece', async () => {
        const { page, until } = shared;
        await until(({ state }) => state.phase === 'listening');
        const pieces = await page.evaluate(async (content) => {
          const body = JSON.stringify({
            model: 'demo/chat',
            stream: true,
            messages: [{ role: 'user', content }],
          });
          const headers = { 'content-type': 'application/json' };
          const response = await fetch('/api/v1/chat/completions', { method: 'POST', headers, body });
          const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
          const read: string[] = [];
          for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
            read.push(next.value);
          return read;
        }, QUESTION);
        expect(pieces.length).toBeGreaterThan(5);
        expect(pieces.join('')).toMatch(/data: \[DONE\]\n\n$/);
      });

      test('streams a response in the playground, and has it in the list of generations', async () => {
        const { page, until } = shared;
        await until(({ state }) => state.phase === 'listening');
        await page.goto('app://gateway/#/playground?models=demo/chat');
        await page.getByRole('textbox', { name: 'Message', exact: true }).fill(QUESTION);
        await page.keyboard.press('Control+Enter');
        await page.getByRole('status').getByText('ok', { exact: true }).waitFor();
        await page.getByRole('navigation').getByRole('link', { name: 'Generations' }).click();
        await page.getByRole('main').getByText('demo/chat').first().waitFor();
      });

      test('starts at login only when asked to', async () => {
        const { page, userDir } = shared;
        const file = join(userDir, 'xdg/autostart/model-gateway.desktop');
        expect(existsSync(file)).toBe(false);
        await page.evaluate(() => window.desktop.changeSettings({ startAtLogin: true, startHidden: true }));
        expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".*model-gateway-desktop" --hidden$/m);
        await page.evaluate(() => window.desktop.changeSettings({ startAtLogin: false }));
        expect(existsSync(file)).toBe(false);
      });

      test('gives its page neither Node nor anything but what the bridge offers', async () => {
        const { app, page } = shared;
        const found = await page.evaluate(async () => {
          const script = document.createElement('script');
          let inline = 'refused';
          try {
            script.textContent = 'window.ran = true';
            document.body.append(script);
            if ('ran' in window) inline = 'ran';
          } catch {
            // Trusted Types refuse even the assignment.
          }
          const elsewhere = await fetch('http://127.0.0.1:1/').then(String, () => 'refused');
          const opened = window.open('https://example.com/') === null ? 'refused' : 'opened';
          const permission = await navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state);
          return { inline, elsewhere, opened, permission, require: typeof require, process: typeof process };
        });
        expect(found).toEqual({
          inline: 'refused',
          elsewhere: 'refused',
          opened: 'refused',
          permission: 'denied',
          require: 'undefined',
          process: 'undefined',
        });
        await expect(
          page.evaluate(() => window.desktop.changeSettings(JSON.parse('{"port":"x","exec":"rm"}'))),
        ).rejects.toThrow(/changeSettings: /);
        const linked = await page.evaluate(async () =>
          Promise.all(
            ['https://evil.example/', 'http://openrouter.ai/', 'file:///etc/passwd', 'javascript:alert(1)', 'x'].map(
              async (link) => (await window.desktop.openLink(link)).done,
            ),
          ),
        );
        expect(linked).toEqual([false, false, false, false, false]);
        await page.evaluate(() => location.assign('https://example.com/'));
        const windows = await app.evaluate(({ BrowserWindow }) =>
          BrowserWindow.getAllWindows().map(({ webContents }) => webContents.getURL()),
        );
        expect(windows).toEqual([expect.stringMatching(/^app:\/\/gateway\//)]);
      });
    });

    test('a second start opens the window of the first, which asks before it leaves none to be seen', async () => {
      const launched = await launchApp({ port: await freePort() });
      const { app, userDir } = launched;
      await handleDialogs(launched, 'Keep running');
      await app.evaluate(
        ({ BrowserWindow }) =>
          new Promise<void>((resolve) => {
            const [window] = BrowserWindow.getAllWindows();
            window?.once('closed', () => resolve());
            window?.close();
          }),
      );
      expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
      // Its page's process is gone, too, with all its memory.
      const pages = (): Promise<number> =>
        app.evaluate(({ app: { getAppMetrics } }) => getAppMetrics().filter(({ type }) => type === 'Tab').length);
      await expect.poll(pages).toBe(0);
      await expect
        .poll(() => askedOf(launched))
        .toEqual(['Keep the gateway running without its window? [Keep running | Quit]']);
      const opened = app.waitForEvent('window');
      expect(await launchAgain(userDir)).toBe(0);
      await opened;
      expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
    });

    test('its tray item is there, shows the port, and quits', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const { app, until } = await launchApp({ tray, port });
      const exited = new Promise((resolve) => app.process().once('exit', resolve));
      await until(({ state }) => state.phase === 'listening' && state.port === port);
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      expect(await tray.labels()).toEqual(
        expect.arrayContaining(['Open', 'Copy base URL', 'Pause accepting requests', 'Start at login', 'Quit']),
      );
      await tray.click('Quit');
      expect(await exited).toBe(0);
    });

    test('keeps a provider key sealed, uses it, and says honestly how it is kept', async () => {
      const { page, userDir, until, info } = await launchApp({ port: await freePort() });
      await until(({ state }) => state.phase === 'listening' && state.isDemo === true);
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-canary-of-the-desktop-test'));
      await until(({ state }) => state.phase === 'listening' && state.isDemo === false);
      expect((await info()).providerKeys).toEqual(['OPENAI_API_KEY']);
      expect((await info()).secretStorage).toBe('plain');
      const models = await page.evaluate(async () => (await fetch('/api/v1/models')).text());
      expect(models).toContain('openai/');
      expect(readFileSync(join(userDir, 'settings.json'), 'utf8')).not.toContain('canary');
    });

    test('starts the gateway again when its process dies', async () => {
      const { app, page, until } = await launchApp({ port: await freePort() });
      await until(({ state }) => state.phase === 'listening');
      const killed = await app.evaluate(({ app: electron }) => {
        const gateway = electron.getAppMetrics().find(({ name }) => name === 'Gateway');
        if (gateway !== undefined) process.kill(gateway.pid, 'SIGKILL');
        return gateway?.pid;
      });
      expect(killed).toBeGreaterThan(0);
      await until(({ state }) => state.phase === 'failed');
      // No request waits for a process that has ended: at once it is 503, and once the next one runs 200.
      expect([200, 503]).toContain(await page.evaluate(async () => (await fetch('/api/v1/models')).status));
      await until(({ state }) => state.phase === 'listening');
      expect(await page.evaluate(async () => (await fetch('/api/v1/models')).status)).toBe(200);
    });

    test('backs its data up while the gateway rests, and puts a backup back', async () => {
      const { app, page, until } = await launchApp({ port: await freePort() });
      const { state } = await until((info) => info.state.phase === 'listening' && info.state.port !== 8855);
      const id = (await chat(state.url ?? '')).headers.get('x-generation-id') ?? '';
      const folder = createUserDir();
      // No user is there to choose in the system's dialog.
      const choose = (path: string): Promise<void> =>
        app.evaluate(({ dialog }, chosen) => {
          dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
        }, path);
      await choose(folder);
      expect(await page.evaluate(() => window.desktop.backUp())).toMatchObject({ done: true });
      const [backup = ''] = readdirSync(folder);
      await until((info) => info.state.phase === 'listening');
      const readRecord = () =>
        page.evaluate(async (asked) => (await fetch(`/api/v1/generation?id=${asked}`)).status, id);
      await choose(folder);
      expect(await page.evaluate(() => window.desktop.restore())).toMatchObject({ done: false });
      await choose(join(folder, backup));
      expect(await page.evaluate(() => window.desktop.restore())).toMatchObject({ done: true });
      await until((info) => info.state.phase === 'listening');
      expect(await readRecord()).toBe(200);
    });

    test('quits cleanly, and finds everything again at the next start', async () => {
      const userDir = createUserDir();
      const port = await freePort();
      const first = await launchApp({ userDir, port });
      const { state } = await first.until((info) => info.state.phase === 'listening' && info.state.port === port);
      const id = (await chat(state.url ?? '')).headers.get('x-generation-id') ?? '';
      expect(await first.quit()).toBe(0);
      await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed');

      const second = await launchApp({ userDir });
      expect((await second.until((info) => info.state.phase === 'listening')).state.port).toBe(port);
      const seen = await second.page.evaluate(
        async (asked) => (await fetch(`/api/v1/generation?id=${asked}`)).status,
        id,
      );
      expect(seen).toBe(200);
      expect((await second.info()).settings.port).toBe(port);
    });
  },
);
