import {
  constants,
  copyFile,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';

import { type Outcome, type SettingsChanges, settingsChangesSchema } from '@model-gateway/ui/desktop-bridge';
import { app, type BrowserWindow, dialog } from 'electron';

import type { AppPaths } from '../app-paths.ts';
import { texts } from '../texts.ts';
import type { SettingsFile } from './settings-file.ts';

/** Exports the app's settings, none of which is secret. */
export async function exportSettings(window: BrowserWindow, file: SettingsFile): Promise<Outcome> {
  const defaultPath = join(app.getPath('documents'), 'model-gateway-settings.json');
  const { filePath, canceled } = await dialog.showSaveDialog(window, { defaultPath });
  if (canceled || filePath === '') return CANCELLED;
  await writeFile(filePath, `${JSON.stringify({ settings: file.settings }, null, 2)}\n`);
  return { done: true, message: texts().data.exported(filePath) };
}

/** Asks for an exported file. Resolves with its settings, or with the reason why there are none. */
export async function readExportedSettings(window: BrowserWindow): Promise<SettingsChanges | Outcome> {
  const filters = [{ name: texts().data.settingsFiles, extensions: ['json'] }];
  const { filePaths, canceled } = await dialog.showOpenDialog(window, { properties: ['openFile'], filters });
  const [path] = filePaths;
  if (canceled || path === undefined) return CANCELLED;
  try {
    const { settings } = JSON.parse(await readFile(path, 'utf8')) as { settings?: unknown };
    return settingsChangesSchema.parse(settings);
  } catch {
    return { done: false, message: texts().data.noSettings(path) };
  }
}

/** Runs work on the data while the gateway is stopped. */
type AtRest = (work: () => Promise<void>) => Promise<void>;

/** Copies the data directory to a folder of the user's choice. */
export async function backUp(window: BrowserWindow, { data }: AppPaths, atRest: AtRest): Promise<Outcome> {
  const folder = await chooseFolder(window, texts().data.backUpInto);
  if (folder === undefined) return CANCELLED;
  const day = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const target = join(folder, `model-gateway-${day}`);
  await atRest(() => cp(data, target, { recursive: true, errorOnExist: true, force: false, filter: isBackedUp }));
  return { done: true, message: texts().data.backedUp(target) };
}

/** Replaces the data directory by a backup; the old directory is kept beside it. */
export async function restore(window: BrowserWindow, { data }: AppPaths, atRest: AtRest): Promise<Outcome> {
  const folder = await chooseFolder(window, texts().data.restoreFrom);
  if (folder === undefined) return CANCELLED;
  if (!(await readdir(folder)).includes('config.json')) {
    return { done: false, message: texts().data.noBackup(folder) };
  }
  const staged = `${data}.restoring`;
  await rm(staged, { recursive: true, force: true });
  await cp(folder, staged, { recursive: true, filter: isKept });
  // The keys of a backup that was made here can be opened again.
  await copyFile(join(data, SECRETS_KEY), join(staged, SECRETS_KEY), constants.COPYFILE_EXCL).catch(() => undefined);
  const before = `${data}.before-${Date.now()}`;
  await atRest(async () => {
    if ((await stat(data).catch(() => undefined)) === undefined) await mkdir(data, { recursive: true });
    await rename(data, before);
    await rename(staged, data);
  });
  return { done: true, message: texts().data.restored(folder, before) };
}

const CANCELLED: Outcome = { done: false, message: '' };

/** What opens the sealed keys of providers stays where it is, so that a backup holds no key. */
const SECRETS_KEY = 'secrets.key';

const isBackedUp = async (path: string): Promise<boolean> => basename(path) !== SECRETS_KEY && (await isKept(path));

/** A crash may leave the socket by which a process holds the directory; sockets cannot be copied. */
async function isKept(path: string): Promise<boolean> {
  return !(await lstat(path)).isSocket();
}

async function chooseFolder(window: BrowserWindow, buttonLabel: string): Promise<string | undefined> {
  const properties = ['openDirectory', 'createDirectory'] as const;
  const { filePaths, canceled } = await dialog.showOpenDialog(window, { properties: [...properties], buttonLabel });
  return canceled ? undefined : filePaths[0];
}
