import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { inject, onTestFinished } from 'vitest';

import type { DesktopBridge, DesktopInfo } from '../../desktop/src/shared/desktop-bridge.ts';

declare global {
  interface Window {
    readonly desktop: DesktopBridge;
  }
}

/** The packaged app, running. */
export interface DesktopApp {
  readonly app: ElectronApplication;
  readonly page: Page;
  readonly userDir: string;
  info(): Promise<DesktopInfo>;
  /** Resolves with the first info for which this holds. */
  until(holds: (info: DesktopInfo) => boolean): Promise<DesktopInfo>;
  /** Resolves with the exit code. */
  quit(): Promise<number | null>;
}

export interface LaunchOptions {
  readonly userDir?: string;
  readonly port?: number;
}

const stage = inject('desktop');
/** Why nothing can be run here; undefined when it can. */
export const skipped = 'skipped' in stage ? stage.skipped : undefined;

/** As root Chromium cannot use its own sandbox. */
const FLAGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export function createUserDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-desktop-'));
  // The app's last processes may still be writing when it has been killed.
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return dir;
}

/** What the app and everything it starts is told of its surroundings. */
export function appEnv(userDir: string): Record<string, string> {
  if ('skipped' in stage) throw new Error(stage.skipped);
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, XDG_CONFIG_HOME: join(userDir, 'xdg'), ...stage.env };
}

/** Starts the app with a folder and a port of its own, and waits for its window. It ends with the test. */
export async function launchApp({ userDir = createUserDir(), port }: LaunchOptions = {}): Promise<DesktopApp> {
  if ('skipped' in stage) throw new Error(stage.skipped);
  const app = await _electron.launch({
    executablePath: stage.executable,
    args: [...FLAGS, `--user-data-dir=${userDir}`],
    env: appEnv(userDir),
    timeout: 20_000,
  });
  // Kept, because the driver forgets it when the app ends.
  const child = app.process();
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const page = await app.firstWindow();
  const info = (): Promise<DesktopInfo> => page.evaluate(() => window.desktop.info());
  const until = async (holds: (info: DesktopInfo) => boolean): Promise<DesktopInfo> => {
    for (;;) {
      const changed = page.evaluate(() => new Promise<void>((resolve) => window.desktop.onChange(() => resolve())));
      // The last one waits for a change that may not come while the app is there.
      changed.catch(() => undefined);
      const found = await info();
      if (holds(found)) return found;
      await changed;
    }
  };
  if (port !== undefined) await page.evaluate((wanted) => window.desktop.changeSettings({ port: wanted }), port);
  return {
    app,
    page,
    userDir,
    info,
    until,
    async quit() {
      // Asked for and not awaited: the answer would have to come from an app that is gone.
      app.evaluate((electron) => electron.app.quit()).catch(() => undefined);
      return exited;
    },
  };
}

/** Starts the app once more over the same folder, as a second click on its icon does. Resolves with the exit code. */
export async function launchAgain(userDir: string): Promise<number | null> {
  if ('skipped' in stage) throw new Error(stage.skipped);
  const child = spawn(stage.executable, [...FLAGS, `--user-data-dir=${userDir}`], {
    env: appEnv(userDir),
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('exit', resolve));
}
