import { app, BrowserWindow, screen, session, shell } from 'electron';

import type { Bounds, SettingsFile } from '../settings/settings-file.ts';
import { APP_ORIGIN } from './app-scheme.ts';
import { LINK_HOSTS } from './link-hosts.ts';

export interface AppWindow {
  /** Opens the window, or brings it to the front. `place` is a location of the UI, as after the `#/`. */
  show(place?: string): void;
  readonly current: BrowserWindow | null;
  /** Moves the window to the middle of the first screen. */
  resetPosition(): void;
}

const SIZE = { width: 1180, height: 780, minWidth: 480, minHeight: 420 };

/**
 * Creates the controller of the app's only window. Closing the window destroys it and frees its memory; `preload` is
 * the file that provides the bridge.
 */
export function createAppWindow(preload: string, file: SettingsFile, onClosed: () => Promise<void>): AppWindow {
  let window: BrowserWindow | null = null;

  const open = (place: string): void => {
    const { bounds, isMaximized } = file.window ?? { bounds: undefined, isMaximized: false };
    const opened = new BrowserWindow({
      ...SIZE,
      ...(bounds !== undefined && isOnScreen(bounds) && bounds),
      show: false,
      title: app.getName(),
      webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, spellcheck: false },
    });
    window = opened;
    opened.removeMenu();
    if (isMaximized) opened.maximize();
    opened.once('ready-to-show', () => opened.show());
    opened.on('close', () => {
      file.change({ window: { bounds: opened.getNormalBounds(), isMaximized: opened.isMaximized() } });
    });
    opened.on('closed', () => {
      window = null;
      void onClosed();
    });
    void opened.loadURL(toUrl(place));
  };

  return {
    show(place = '') {
      if (window === null) return open(place);
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
      if (place !== '') void window.loadURL(toUrl(place));
    },
    get current() {
      return window;
    },
    resetPosition() {
      file.change({ window: null });
      window?.setSize(SIZE.width, SIZE.height);
      window?.center();
      this.show();
    },
  };
}

const toUrl = (place: string): string => `${APP_ORIGIN}/#/${place}`;

/** Forbids all pages to navigate elsewhere, to open windows, or to use the browser's permissions, but for copying. */
export function restrictPages(): void {
  // Without this, Chromium downloads a dictionary at the first start.
  session.defaultSession.setSpellCheckerLanguages([]);
  session.defaultSession.setSpellCheckerEnabled(false);
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(permission === 'clipboard-sanitized-write'),
  );
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission) => permission === 'clipboard-sanitized-write',
  );
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => {
      if (!event.url.startsWith(`${APP_ORIGIN}/`)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
}

/** Opens a link in the user's browser, if its host is in the list. */
export async function openLink(link: string): Promise<boolean> {
  if (!URL.canParse(link)) return false;
  const { protocol, hostname, href } = new URL(link);
  if (protocol !== 'https:' || !LINK_HOSTS.has(hostname)) return false;
  await shell.openExternal(href);
  return true;
}

function isOnScreen(bounds: Bounds): boolean {
  return screen.getAllDisplays().some(({ workArea }) => {
    const right = Math.min(bounds.x + bounds.width, workArea.x + workArea.width);
    const bottom = Math.min(bounds.y + bounds.height, workArea.y + workArea.height);
    return right - Math.max(bounds.x, workArea.x) >= 100 && bottom - Math.max(bounds.y, workArea.y) >= 100;
  });
}
