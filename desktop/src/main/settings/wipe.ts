import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Outcome } from '@model-gateway/ui/desktop-bridge';
import { type BrowserWindow, dialog, session } from 'electron';

import type { AppPaths } from '../app-paths.ts';
import { texts } from '../texts.ts';
import type { SettingsFile } from './settings-file.ts';

export interface WipeOptions {
  readonly paths: Pick<AppPaths, 'data' | 'recordings' | 'logs'>;
  readonly file: SettingsFile;
  readonly atRest: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Deletes, after a question, all recorded data, every key and what the window keeps, such as the conversations of its
 * playground, so that the next user of the machine finds none. The app's settings stay, and so does the configuration
 * file, which the user has written.
 */
export async function wipe(window: BrowserWindow, { paths, file, atRest }: WipeOptions): Promise<Outcome> {
  const words = texts().data;
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: words.wipeQuestion,
    detail: words.wipeDetail,
    buttons: [words.wipe, words.cancel],
    defaultId: 1,
    cancelId: 1,
  });
  if (response !== 0) return { done: false, message: '' };
  await atRest(async () => {
    const replaced = await listReplaced(paths.data);
    const all = [paths.data, paths.recordings, paths.logs, ...replaced];
    await Promise.all(all.map((path) => rm(path, { recursive: true, force: true })));
    file.change({ sealedKeys: {}, sealingKey: null });
  });
  await session.defaultSession.clearStorageData();
  // Its page has in memory what was deleted, and would write it again; what it says would go with it.
  setImmediate(() => {
    if (window.isDestroyed()) return;
    window.webContents.reload();
    void dialog.showMessageBox(window, { type: 'info', message: words.wiped });
  });
  return { done: true, message: words.wiped };
}

/** Lists the data that was saved beside the data folder when a backup replaced it. */
async function listReplaced(data: string): Promise<string[]> {
  const folder = dirname(data);
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(`${basename(data)}.`)).map((name) => join(folder, name));
}
