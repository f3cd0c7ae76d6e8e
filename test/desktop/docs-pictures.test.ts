import { join } from 'node:path';

import { describe, onTestFinished, test } from 'vitest';

import { fillShowcase } from '../support/showcase/fill-showcase.ts';
import { keepPicture } from '../support/showcase/keep-picture.ts';
import { toShowcaseConfig } from '../support/showcase/showcase-config.ts';
import { startShowcaseUpstream } from '../support/showcase/start-showcase-upstream.ts';
import { freePort } from '../support/test-run/free-port.ts';
import { createUserDir, type DesktopApp, launchApp, skipped } from './desktop-app.ts';
import { watchTray } from './tray-watcher.ts';

/** The app of somebody who has used it for two days. */
async function launchUsed(): Promise<DesktopApp & { readonly openPanel: () => Promise<DesktopApp['page']> }> {
  const upstream = await startShowcaseUpstream();
  onTestFinished(() => upstream.close());
  const userDir = createUserDir();
  await fillShowcase(join(userDir, 'data'), Date.now());
  const tray = await watchTray();
  const port = await freePort();
  const config = toShowcaseConfig(upstream.url);
  const launched = await launchApp({ tray, port, userDir, config, settings: { demo: false } });
  await tray.until((labels) => labels.includes(`Running on 127.0.0.1:${port}`));
  return {
    ...launched,
    async openPanel() {
      const opened = launched.app.waitForEvent('window');
      await tray.clickIcon();
      return opened;
    },
  };
}

describe.skipIf(skipped !== undefined)(
  `the desktop app in the pictures of the docs${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  { timeout: 60_000 },
  () => {
    test('shows where programs call, in its settings', async () => {
      const { page } = await launchUsed();
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 1280, height: 820 });
      await page.goto('app://gateway/#/settings?section=desktop');
      await page.getByRole('heading', { name: 'Address for clients' }).waitFor();
      await page.getByText('today', { exact: true }).waitFor();
      await keepPicture(page, 'desktop');
    });

    test('shows state, spending and the latest calls in its quick panel', async () => {
      const panel = await (await launchUsed()).openPanel();
      await panel.emulateMedia({ colorScheme: 'light' });
      await panel.getByRole('listitem').nth(4).waitFor();
      await panel.getByText('Spent today').waitFor();
      await keepPicture(panel, 'panel');
    });
  },
);
