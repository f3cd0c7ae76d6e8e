import { createServer } from 'node:http';

import { describe, expect, onTestFinished, test } from 'vitest';

import { toPortQuestion } from '../../desktop/src/main/gateway/port-question.ts';
import { sendRaw } from '../support/clients/send-raw.ts';
import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { freePort } from '../support/test-run/free-port.ts';
import { startScriptedUpstream } from '../support/upstreams/scripted-upstream.ts';
import { launchApp, launchHidden, skipped } from './desktop-app.ts';
import { handleDialogs, askedOf } from './handle-dialogs.ts';
import { watchTray } from './tray-watcher.ts';

/** Another program at this port. Resolves with what ends it. */
async function holdPort(port: number): Promise<() => Promise<void>> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
  const release = (): Promise<void> => new Promise((resolve) => void holder.close(() => resolve()));
  onTestFinished(release);
  return release;
}

const healthOf = async (port: number): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/health`)).json();

describe.skipIf(skipped !== undefined)(
  `the port${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('says in its window who holds it, offers another, and stays by the one that is set', async () => {
      const port = await freePort();
      const release = await holdPort(port);
      const { app, page, until, info } = await launchApp({ port });
      const { state } = await until((found) => found.state.phase === 'not-listening');
      expect(state).toMatchObject({ kind: 'taken', port, message: expect.stringContaining(`PID ${process.pid}`) });
      // The window works all the same.
      expect(await page.evaluate(async () => (await fetch('/api/v1/models')).status)).toBe(200);
      const banner = page.getByRole('alert').filter({ hasText: `at port ${port}` });
      await banner.getByRole('button', { name: `Use ${state.freePort} this time` }).click();
      const { state: elsewhere, settings } = await until((found) => found.state.phase === 'listening');
      expect(elsewhere.port).toBe(state.freePort);
      expect(settings.port).toBe(port);
      await release();
      await page.evaluate(() => {
        const changed = new Promise<void>((resolve) => window.desktop.onChange(() => resolve()));
        Object.assign(window, { changed });
      });
      await app.evaluate(({ powerMonitor }) => powerMonitor.emit('resume'));
      await page.evaluate(() => (window as unknown as { changed: Promise<void> }).changed);
      // Neither a sleep nor a port that is free again makes it move.
      expect(await healthOf(state.freePort ?? 0)).toMatchObject({ status: 'ok' });
      expect((await info()).state.port).toBe(state.freePort);
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-of-the-port-test'));
      expect((await until((found) => found.state.isDemo === false)).state.port).toBe(state.freePort);
      await page.evaluate(() => window.desktop.retryPort(null));
      expect((await until((found) => found.state.port === port)).state.phase).toBe('listening');
    });

    test('is that of before when the window ends a pause, which nothing else has ended', async () => {
      const port = await freePort();
      const { page, until } = await launchApp({ port });
      await until((found) => found.state.phase === 'listening');
      await page.evaluate(() => window.desktop.retryPort(0));
      const { state } = await until((found) => found.state.phase === 'listening' && found.state.port !== port);
      await page.evaluate(() => window.desktop.setPaused(true));
      await until((found) => found.state.phase === 'paused');
      await page.evaluate(() => window.desktop.saveProviderKey('OPENAI_API_KEY', 'sk-of-the-pause-test'));
      await until((found) => found.state.phase === 'paused' && found.state.isDemo === false);
      await expect(healthOf(state.port ?? 0)).rejects.toThrow('fetch failed');
      // The window works all the same.
      expect(await page.evaluate(async () => (await fetch('/api/v1/models')).status)).toBe(200);
      await page.getByRole('alert').getByRole('button', { name: 'Resume' }).click();
      expect((await until((found) => found.state.phase === 'listening')).state.port).toBe(state.port);
      expect(await healthOf(state.port ?? 0)).toMatchObject({ status: 'ok' });
    });

    test('is asked about in a dialog while no window is open, once, and tried again after sleep', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const launched = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      await handleDialogs(launched, 'Later');
      await tray.click('Pause accepting requests');
      await tray.until((labels) => labels.includes('Paused'));
      const release = await holdPort(port);
      await tray.click('Pause accepting requests');
      await tray.until((labels) => labels.includes(`Not listening: port ${port} is taken`));
      expect(await askedOf(launched)).toEqual([
        expect.stringMatching(
          `^Other programs can’t reach the gateway at port ${port} \\[Try again \\| Use \\d+ this time \\| Change port… \\| Later\\]$`,
        ),
      ]);
      const wake = (): Promise<unknown> => launched.app.evaluate(({ powerMonitor }) => powerMonitor.emit('resume'));
      await tray.click(`Try port ${port} again`);
      await wake();
      await release();
      await wake();
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      expect(await askedOf(launched)).toHaveLength(1);
      expect(await healthOf(port)).toMatchObject({ status: 'ok' });
    });

    test('opens its window, with the port to be set, where that is chosen in the dialog', async () => {
      const tray = await watchTray();
      const port = await freePort();
      const launched = await launchHidden({ tray, port });
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port} (demo)`));
      await handleDialogs(launched, 'Change port…');
      await tray.click('Pause accepting requests');
      await tray.until((labels) => labels.includes('Paused'));
      await holdPort(port);
      const opened = launched.app.waitForEvent('window');
      await tray.click('Pause accepting requests');
      const page = await opened;
      await page
        .getByRole('alert')
        .filter({ hasText: `at port ${port}` })
        .waitFor();
      const free = await freePort();
      await page.getByRole('main').getByLabel('Port').fill(String(free));
      await page.getByRole('main').getByRole('button', { name: 'Save port' }).click();
      await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${free} (demo)`));
    });

    test('is shared on the network only after that is confirmed, and with a key as before', async () => {
      const upstream = await startScriptedUpstream();
      onTestFinished(() => upstream.close());
      const launched = await launchApp({ port: await freePort(), config: toScriptedConfig(upstream) });
      const { page, until, info } = launched;
      const { state } = await until((found) => found.state.phase === 'listening');
      const share = () => page.evaluate(() => window.desktop.changeSettings({ shareOnNetwork: true }));
      await handleDialogs(launched, 'Cancel');
      expect(await share()).toMatchObject({ done: false });
      expect((await info()).settings.shareOnNetwork).toBe(false);
      await handleDialogs(launched, 'Share');
      expect(await share()).toMatchObject({ done: true });
      expect(await askedOf(launched)).toEqual(['Share the gateway on your local network? [Share | Cancel]']);
      await until((found) => found.state.url === `http://0.0.0.0:${state.port}`);
      const { networkUrls } = await info();
      for (const url of [...networkUrls, `http://127.0.0.1:${state.port}/api/v1`]) {
        expect((await fetch(`${url}/key`)).status).toBe(401);
      }
      const foreign = { headers: { host: 'evil.example' } };
      expect((await sendRaw(`http://127.0.0.1:${state.port}`, '/api/v1/models', foreign)).status).toBe(403);
    });

    test('of the demo, whose keys are public, is not shared', async () => {
      const launched = await launchApp({ port: await freePort() });
      await launched.until((found) => found.state.phase === 'listening');
      await handleDialogs(launched, 'Share');
      await launched.page.evaluate(() => window.desktop.changeSettings({ shareOnNetwork: true }));
      const { state } = await launched.until((found) => found.state.phase === 'not-listening');
      expect(state).toMatchObject({ kind: 'other', message: expect.stringContaining('can’t be shared') });
    });
  },
);

test('where the system reserves a port, the user is not asked to quit a program', () => {
  const message = 'This user may not open port 8855 of 127.0.0.1: the system has reserved it.\nUse --port.';
  const state = { phase: 'not-listening', kind: 'denied', port: 8855, message, freePort: null, isDemo: false } as const;
  const { detail, choices } = toPortQuestion(state);
  expect(detail).toBe(
    'This user may not open port 8855 of 127.0.0.1: the system has reserved it. Nothing needs to be closed. Choose another port.',
  );
  expect(choices.map(({ label }) => label)).toEqual(['Try again', 'Change port…', 'Later']);
});
