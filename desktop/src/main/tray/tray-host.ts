import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { dialog } from 'electron';

import { texts } from '../texts.ts';

const IS_THERE_A_HOST = [
  '--session',
  '--print-reply',
  '--dest=org.freedesktop.DBus',
  '/org/freedesktop/DBus',
  'org.freedesktop.DBus.NameHasOwner',
  'string:org.kde.StatusNotifierWatcher',
];

/** Creates a function that asks, once, whether to go on without a window when no tray would show the app. */
export function createTrayHostAsker(): () => Promise<'go-on' | 'quit'> {
  let isKnown = false;
  return async () => {
    if (isKnown || (await hasTrayHost())) return 'go-on';
    const { question, detail, goOn, quit } = texts().withoutTray;
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message: question,
      detail,
      buttons: [goOn, quit],
      defaultId: 0,
      cancelId: 0,
    });
    isKnown = true;
    return response === 0 ? 'go-on' : 'quit';
  };
}

/**
 * Whether tray items are shown. On Linux a part of the desktop shows them, which not every desktop has; the session bus
 * knows (specification of StatusNotifierItem). True when it cannot be determined.
 */
async function hasTrayHost(): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  try {
    const { stdout } = await promisify(execFile)('dbus-send', IS_THERE_A_HOST, { timeout: 2000 });
    return !stdout.includes('boolean false');
  } catch {
    return true;
  }
}
