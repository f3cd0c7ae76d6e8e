import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { freePort } from '../support/test-run/free-port.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { launchApp, launchHidden, skipped } from './desktop-app.ts';
import { handleDialogs, askedOf } from './handle-dialogs.ts';
import { watchTray } from './tray-watcher.ts';

const DEMO_KEY = 'sk-gw-v1-demo';

const call = (port: number, { key = DEMO_KEY, model = 'demo/chat', content = 'Hello', stream = false } = {}) =>
  fetch(`http://127.0.0.1:${port}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
  });

async function startUpstream(): Promise<ScriptedUpstream> {
  const upstream = await startScriptedUpstream();
  onTestFinished(() => upstream.close());
  return upstream;
}

describe.skipIf(skipped !== undefined)(
  `the tray${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('tells the calls of the day, and the latest errors, which open', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const { app } = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      await tray.until((labels) => labels.includes('0 active · 0 today · $0.00'));
      expect((await tray.submenu('Mode'))[0]).toBe('Demo *');
      expect(await tray.submenu('Recent errors')).toEqual(['(None)']);
      await (await call(port)).text();
      const failed = await call(port, { content: 'demo: rate limit' });
      expect(failed.status).toBe(429);
      await tray.until((labels) => labels.some((label) => /^0 active · 2 today · \$0\.00\d+$/.test(label)));
      const [error = ''] = await tray.submenu('Recent errors');
      expect(error).toMatch(/^\d\d:\d\d demo\/chat 429$/);
      const opened = app.waitForEvent('window');
      await tray.click('Recent errors', error);
      const id = failed.headers.get('x-generation-id') ?? '';
      await (await opened).getByRole('main').getByText(id).first().waitFor();
    });

    test('rests with two processes of its own: one for the tray, one for the gateway', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const { app } = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      const types = await app.evaluate((electron) => electron.app.getAppMetrics().map(({ type }) => type));
      // Linux starts others as copies of a zygote, which is not listed.
      expect(types.filter((type) => type !== 'Zygote').toSorted()).toEqual(['Browser', 'Utility']);
    });

    test('pauses and goes on, with an icon of another shape meanwhile', async () => {
      const tray = await watchTray();
      const port = await freePort();
      await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      const running = await tray.icon();
      await tray.click('Pause accepting requests');
      await tray.until((labels) => labels.includes('Paused'));
      await expect(call(port)).rejects.toThrow('fetch failed');
      expect(await tray.icon()).not.toBe(running);
      await tray.click('Pause accepting requests');
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      expect((await call(port)).status).toBe(200);
      expect(await tray.icon()).toBe(running);
    });

    test('has modes: recordings are replayed, and no provider is called', async () => {
      const tray = await watchTray();
      const [port, upstream] = [await freePort(), await startUpstream()];
      const { userDir } = await launchHidden({ tray, port, config: toScriptedConfig(upstream) });
      const ask = async (): Promise<string> => (await call(port, { key: TEST_KEY, model: 'test/text' })).text();
      const contentOf = (body: string): unknown => JSON.parse(body).choices[0].message.content;
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port}`));
      expect(await tray.submenu('Mode')).toEqual(['Live *', '(Replay (nothing is recorded))', 'Record all']);
      await ask();
      await tray.click('Mode', 'Record all');
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (recording)`));
      const recorded = contentOf(await ask());
      expect(readdirSync(join(userDir, 'recordings'))).toEqual(['scripted']);
      expect(upstream.calls).toHaveLength(2);
      await tray.until((labels) => labels.some((label) => label.startsWith('0 active · 2 today')));
      expect(await tray.submenu('Mode')).toEqual(['Live', 'Replay', 'Record all *']);
      await tray.click('Mode', 'Replay');
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (replay)`));
      expect(contentOf(await ask())).toBe(recorded);
      expect(upstream.calls).toHaveLength(2);
    });

    test('notifies of a provider that does not respond, and a click leads to it', async () => {
      const tray = await watchTray();
      const [port, upstream] = [await freePort(), await startUpstream()];
      const { app } = await launchHidden({ tray, port, config: toScriptedConfig(upstream) });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port}`));
      // No part of a desktop shows notifications here.
      await app.evaluate(({ Notification }) => {
        const shown: Electron.Notification[] = [];
        Object.assign(globalThis, { shown });
        Notification.isSupported = () => true;
        Notification.prototype.show = function show(this: Electron.Notification) {
          shown.push(this);
        };
      });
      const shownTitles = (): Promise<string[]> =>
        app.evaluate(() =>
          (globalThis as unknown as { shown: Electron.Notification[] }).shown.map(({ title }) => title),
        );
      await (await call(port, { key: TEST_KEY, model: 'test/broken', content: 'secret of the caller' })).text();
      await expect.poll(shownTitles, { timeout: 10_000 }).toEqual(['Scripted isn’t responding']);
      const opened = app.waitForEvent('window');
      await app.evaluate(
        () => void (globalThis as unknown as { shown: Electron.Notification[] }).shown[0]?.emit('click'),
      );
      expect((await opened).url()).toContain('#/providers?open=scripted');
    });

    test('asks before it quits while calls are under way, and quits when they are done', async () => {
      const tray = await watchTray();
      const [port, upstream] = [await freePort(), await startUpstream()];
      const launched = await launchHidden({ tray, port, config: toScriptedConfig(upstream) });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port}`));
      const held = await call(port, { key: TEST_KEY, model: 'test/held', stream: true });
      await handleDialogs(launched, 'Cancel');
      await tray.click('Quit');
      await tray.until((labels) => labels.includes('1 active · 0 today · $0.00'));
      await expect.poll(() => askedOf(launched)).toHaveLength(1);
      expect(await askedOf(launched)).toEqual(['1 request is still running. [Quit when done | Quit now | Cancel]']);

      await handleDialogs(launched, 'Quit when done');
      await tray.click('Quit');
      await tray.until((labels) => labels.includes('Paused'));
      upstream.release();
      expect(await held.text()).toMatch(/data: \[DONE\]\n\n$/);
      expect(await launched.exited).toBe(0);
    });

    test('cuts calls off where it is told to quit now', async () => {
      const tray = await watchTray();
      const [port, upstream] = [await freePort(), await startUpstream()];
      const launched = await launchHidden({ tray, port, config: toScriptedConfig(upstream) });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port}`));
      const held = await call(port, { key: TEST_KEY, model: 'test/held', stream: true });
      await handleDialogs(launched, 'Quit now');
      await tray.click('Quit');
      await expect(held.text()).rejects.toThrow('terminated');
      expect(await upstream.calls[0]?.closed).toBe(false);
      expect(await launched.exited).toBe(0);
    });

    test('leads to the settings in the window that is open', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const { page } = await launchApp({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      await tray.click('Settings…');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    });
  },
);
