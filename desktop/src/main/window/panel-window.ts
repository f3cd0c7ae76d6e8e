import { BrowserWindow, type Rectangle, screen } from 'electron';

import { APP_ORIGIN } from './app-scheme.ts';

/** The quick panel: a small window that is there only while it is looked at. */
export interface PanelWindow {
  /** Opens it, or closes it where it is open. */
  toggle(): void;
  /** The same for a click on the tray's icon, which may have taken the focus away first. */
  toggleByClick(): void;
  close(): void;
  /** Tells its page that something has changed. */
  tell(): void;
}

const SIZE = { width: 380, height: 470 };
const MARGIN = 8;
/** Losing the focus closes the panel; the click that took the focus must not open it again. */
const SAME_CLICK_MS = 250;

/** `trayBounds` is where the icon is; empty where the system does not say. */
export function createPanelWindow(preload: string, trayBounds: () => Rectangle): PanelWindow {
  let panel: BrowserWindow | null = null;
  let closedAt = Number.NEGATIVE_INFINITY;

  const open = (): void => {
    const opened = new BrowserWindow({
      ...SIZE,
      ...placeOf(trayBounds()),
      show: false,
      frame: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      webPreferences: { preload, contextIsolation: true, sandbox: true, nodeIntegration: false, spellcheck: false },
    });
    panel = opened;
    opened.removeMenu();
    opened.once('ready-to-show', () => opened.show());
    // Its process ends with it, so that none rests in memory.
    opened.on('blur', () => opened.destroy());
    opened.on('closed', () => {
      panel = null;
      closedAt = performance.now();
    });
    void opened.loadURL(`${APP_ORIGIN}/#/panel`);
  };
  const toggle = (): void => {
    if (panel === null) open();
    else panel.destroy();
  };
  return {
    toggle,
    toggleByClick() {
      if (panel !== null || performance.now() - closedAt > SAME_CLICK_MS) toggle();
    },
    close: () => panel?.destroy(),
    tell: () => panel?.webContents.send('changed'),
  };
}

/** Beside the tray's icon, else in the corner of the screen with the pointer, where most desktops have their tray. */
function placeOf(tray: Rectangle): { readonly x: number; readonly y: number } {
  const isKnown = tray.width > 0 && tray.height > 0;
  const point = isKnown ? { x: tray.x + tray.width / 2, y: tray.y + tray.height / 2 } : screen.getCursorScreenPoint();
  const { workArea } = screen.getDisplayNearestPoint(point);
  const right = workArea.x + workArea.width - SIZE.width - MARGIN;
  const bottom = workArea.y + workArea.height - SIZE.height - MARGIN;
  const top = workArea.y + MARGIN;
  if (!isKnown) return { x: Math.round(right), y: top };
  const x = Math.min(Math.max(point.x - SIZE.width / 2, workArea.x + MARGIN), right);
  return { x: Math.round(x), y: point.y < workArea.y + workArea.height / 2 ? top : bottom };
}
