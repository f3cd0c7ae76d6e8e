import process from 'node:process';

import { packageApp } from '../../test/desktop/package-app.ts';
import { findObstacle } from '../../test/desktop/prepare.ts';
import { startBus, startTelling } from '../../test/desktop/start-telling.ts';
import type { Plan } from '../plan.ts';
import { endWithBench } from '../processes/children.ts';

/** A packaged app, with a display and a session bus to run it on. */
export interface DesktopStage {
  readonly executable: string;
  readonly busAddress: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Chromium cannot use its own sandbox when it runs as root. */
const FLAGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Prepares the stage, as the tests of the desktop app do; where that is not possible, returns why. */
export async function setDesktopStage(plan: Plan): Promise<DesktopStage | string> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) return obstacle;
  plan.progress('packaging the app, unless that was done before');
  const { executable } = await packageApp();
  const screen = ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const [display, bus] = [await startTelling('Xvfb', screen, 3), await startBus()];
  for (const { child } of [display, bus]) endWithBench(child);
  const busAddress = bus.line;
  const { PATH = '', HOME = '' } = process.env;
  return {
    executable,
    busAddress,
    env: { PATH, HOME, DISPLAY: `:${display.line}`, DBUS_SESSION_BUS_ADDRESS: busAddress },
  };
}

/** Arguments and environment that start the app with a folder of its own. */
export function toStart({ env }: DesktopStage, userDir: string, ...flags: string[]) {
  return {
    args: [...FLAGS, `--user-data-dir=${userDir}`, ...flags],
    env: { ...env, XDG_CONFIG_HOME: `${userDir}/xdg` },
  };
}
