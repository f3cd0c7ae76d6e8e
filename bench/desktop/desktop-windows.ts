import { _electron, type ElectronApplication, type Page } from 'playwright-core';

import type { Plan } from '../plan.ts';
import { makeTemporaryFolder } from '../processes/children.ts';
import { DESKTOP_REOPEN_MS, DESKTOP_WINDOW_MS } from '../report/budgets.ts';
import { type Figure, formatMilliseconds, toFigure } from '../report/figure.ts';
import { median } from '../report/statistics.ts';
import { type DesktopStage, toStart } from './desktop-stage.ts';

/** Returns when the screen's heading was first seen, by the clock of the machine. */
const SEEN_AT = `new Promise((resolve) => {
  const look = () => document.querySelector('h1') === null ? requestAnimationFrame(look) : resolve(Date.now());
  look();
})`;

/** Measures how long the app's window takes to show its first screen: after a start, and again after it was closed. */
export async function measureWindows(stage: DesktopStage, plan: Plan): Promise<Figure[]> {
  const first: number[] = [];
  const again: number[] = [];
  for (let i = 0; i < plan.desktop.starts; i += 1) {
    const { executable } = stage;
    const startedAt = Date.now();
    const app = await _electron.launch({ executablePath: executable, ...toStart(stage, makeTemporaryFolder()) });
    try {
      first.push((await seenAt(await app.firstWindow())) - startedAt);
      again.push(await reopen(app));
    } finally {
      await app.close();
    }
  }
  plan.progress(`first window after ${first.map(formatMilliseconds).join(', ')}`);
  const toOne = (what: string, values: readonly number[], budget: typeof DESKTOP_WINDOW_MS): Figure =>
    toFigure(`desktop: ${what}`, { gateway: '', value: median(values), format: formatMilliseconds, budget });
  return [
    toOne('first window, from the start of the program', first, DESKTOP_WINDOW_MS),
    toOne('window again after it was closed', again, DESKTOP_REOPEN_MS),
  ];
}

const seenAt = (page: Page): Promise<number> => page.evaluate<number>(SEEN_AT);

async function reopen(app: ElectronApplication): Promise<number> {
  await app.evaluate(
    ({ BrowserWindow }) =>
      new Promise<void>((resolve) => {
        const [window] = BrowserWindow.getAllWindows();
        window?.once('closed', () => resolve());
        window?.close();
      }),
  );
  const opened = app.waitForEvent('window');
  const openedAt = Date.now();
  // A click on the icon of a running app causes the same event.
  await app.evaluate(({ app: electron }) => void electron.emit('activate'));
  return (await seenAt(await opened)) - openedAt;
}
