import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DesktopBridge, DesktopInfo, SettingsChanges } from '@model-gateway/ui/desktop-bridge';
import { _electron, type ElectronApplication, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

import { getStage } from './get-stage.ts';
import type { TrayWatcher } from './tray-watcher.ts';

declare global {
  interface Window {
    readonly desktop: DesktopBridge;
  }
}

/** The packaged app, running. */
export interface DesktopApp extends HiddenApp {
  readonly page: Page;
  info(): Promise<DesktopInfo>;
  /** Resolves with the first info for which this holds. */
  until(holds: (info: DesktopInfo) => boolean): Promise<DesktopInfo>;
  /** Resolves with the exit code. */
  quit(): Promise<number | null>;
}

export interface LaunchOptions {
  /** Default: the packaged app's. */
  readonly executable?: string;
  readonly userDir?: string;
  readonly port?: number;
  /** Settings that Chromium would receive from the system, as switches. */
  readonly switches?: readonly string[];
  /** The tray that shows the app's item. */
  readonly tray?: TrayWatcher;
  /** Who is told how to end it. Default: the test. */
  readonly atEnd?: AtEnd;
  /** Settings beside the port. The demo runs, as most tests need it, unless they say otherwise. */
  readonly settings?: SettingsChanges;
  /** A configuration file of the user's. */
  readonly config?: object;
}

const stage = await getStage();
/** Why nothing can be run here; undefined when it can. */
export const skipped = 'skipped' in stage ? stage.skipped : undefined;
/** The same of the archives and the Debian package. */
export const packagesSkipped = 'skipped' in stage ? stage.skipped : whySkipped(stage.packages);

/** Chromium cannot use its own sandbox when it runs as root. */
const FLAGS = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Stage that was prepared for the tests. Throws where they are to be skipped. */
export function packagedApp() {
  if ('skipped' in stage) throw new Error(stage.skipped);
  return stage;
}

type AtEnd = (end: () => void | Promise<void>) => void;

export function createUserDir(atEnd: AtEnd = onTestFinished): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-desktop-'));
  // The app's last processes may still be writing when it has been killed.
  atEnd(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return dir;
}

/** Environment of the app and of everything it starts. */
export function appEnv(userDir: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, XDG_CONFIG_HOME: join(userDir, 'xdg'), ...packagedApp().env };
}

/** The packaged app without its window, as after a login. */
export interface HiddenApp {
  readonly app: ElectronApplication;
  readonly userDir: string;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
}

/** Starts the app with a folder and a port of its own, without a window. */
export async function launchHidden(options: LaunchOptions = {}, flags = ['--hidden']): Promise<HiddenApp> {
  const {
    atEnd = onTestFinished,
    userDir = createUserDir(atEnd),
    port,
    settings,
    config,
    tray,
    switches = [],
    executable = packagedApp().executable,
  } = options;
  const write = (name: string, content: object): void =>
    writeFileSync(join(userDir, name), JSON.stringify(content), { mode: 0o600 });
  if (port !== undefined) write('settings.json', { settings: { port, demo: true, ...settings } });
  if (config !== undefined) write('config.json', config);
  const app = await _electron.launch({
    executablePath: executable,
    args: [...FLAGS, `--user-data-dir=${userDir}`, ...switches, ...flags],
    env: { ...appEnv(userDir), ...(tray !== undefined && { DBUS_SESSION_BUS_ADDRESS: tray.bus }) },
    timeout: 40_000,
  });
  // Kept, because the driver forgets it when the app ends.
  const child = app.process();
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  atEnd(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { app, userDir, exited };
}

/** Starts the app with its window. */
export async function launchApp(options: LaunchOptions = {}): Promise<DesktopApp> {
  const { app, userDir, exited } = await launchHidden(options, []);
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
  return {
    app,
    page,
    userDir,
    exited,
    info,
    until,
    async quit() {
      // Asked for and not awaited: the response would have to come from an app that is gone.
      app.evaluate((electron) => electron.app.quit()).catch(() => undefined);
      return exited;
    },
  };
}

/** Starts the app once more over the same folder, as a second click on its icon does. Resolves with the exit code. */
export async function launchAgain(userDir: string): Promise<number | null> {
  const child = spawn(packagedApp().executable, [...FLAGS, `--user-data-dir=${userDir}`], {
    env: appEnv(userDir),
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('exit', resolve));
}

function whySkipped(found: object): string | undefined {
  return 'skipped' in found ? String(found.skipped) : undefined;
}
