import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { chromium } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { endWithBench, makeTemporaryFolder } from '../processes/children.ts';
import { UI_HIDDEN_LAYOUTS } from '../report/budgets.ts';
import { type Figure, formatCount, toFigure } from '../report/figure.ts';
import { CHROMIUM_FLAGS, openMeasuredPage, readLayouts } from './ui-browser.ts';
import type { UiStage } from './ui-stage.ts';
import { COLUMNS, startStreams } from './ui-streams.ts';

const HIDDEN_MS = 3000;
/** Waiting time after the window is hidden. Work that was under way is done by then. */
const SETTLE_MS = 1000;

/**
 * Counts how often a window that is not visible is laid out while its streams continue. It uses a browser of its own:
 * the driver makes pages report that they are visible, unless it attaches to a browser that already runs.
 */
export async function measureHidden({ url, executablePath }: UiStage, plan: Plan): Promise<Figure[]> {
  const flags = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${makeTemporaryFolder()}`];
  const child = endWithBench(
    spawn(executablePath, [...flags, ...CHROMIUM_FLAGS, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the browser ended with ${code}`)));
    createInterface(child.stderr).on('line', (line) => {
      const found = /^DevTools listening on (.+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const browser = await chromium.connectOverCDP(address, { noDefaults: true });
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('the browser has no context');
  const { page, cdp } = await openMeasuredPage(context, url);
  await startStreams(url, page);
  const { windowId } = await cdp.send('Browser.getWindowForTarget');
  await cdp.send('Browser.setWindowBounds', { windowId, bounds: { windowState: 'minimized' } });
  await page.waitForTimeout(SETTLE_MS);
  const isHidden = await page.evaluate<boolean>('document.hidden');
  const before = await readLayouts(cdp);
  await page.waitForTimeout(HIDDEN_MS);
  const layouts = (await readLayouts(cdp)) - before;
  // The child may be a script that starts the browser, and the browser would continue without it.
  await cdp.send('Browser.close');
  await browser.close();
  child.kill();
  if (!isHidden) {
    plan.progress('this browser does not hide its windows: no figure of a hidden one');
    return [];
  }
  const subject = `UI, a hidden window of ${COLUMNS} streams: layouts in ${HIDDEN_MS / 1000} s`;
  return [toFigure(subject, { gateway: '', value: layouts, format: formatCount, budget: UI_HIDDEN_LAYOUTS })];
}
