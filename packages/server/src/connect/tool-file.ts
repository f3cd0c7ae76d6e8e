import { createHash, randomUUID } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { jsonSettings, tomlSettings, yamlSettings } from './settings/formats.ts';
import {
  addSettings,
  removeSettings,
  SettingsFileError,
  type SettingsFormat,
  type WrittenEntry,
} from './settings/settings.ts';

/** The languages of snippets that can be written into a file. */
export const FORMATS: Readonly<Record<string, SettingsFormat>> = {
  json: jsonSettings,
  yaml: yamlSettings,
  toml: tomlSettings,
};

/** What a file of a tool gets. */
export interface ToolSettings {
  readonly format: SettingsFormat;
  readonly snippet: string;
  readonly keeps?: readonly string[] | undefined;
}

/** What stands beside the file of a tool while it is connected, so that this can be undone. It holds no key. */
interface ConnectionRecord {
  readonly version: 1;
  readonly keyHash: string;
  readonly dataDir: string;
  readonly existed: boolean;
  /** The folder that was made for the file, the first of several. */
  readonly madeFolder: string | null;
  readonly writtenHash: string;
  readonly entries: readonly WrittenEntry[];
}

interface Current {
  /** Where the file really is, behind links. */
  readonly path: string;
  readonly text: string;
  readonly mode: number | undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';
const toRecordPath = (file: string): string => `${file}.model-gateway.json`;

/** Where the file is kept as it was before. */
export const toBackupPath = (file: string): string => `${file}.before-model-gateway`;

/** The text that the file would have. Throws `SettingsFileError`, and changes nothing. */
export async function planToolFile(file: string, settings: ToolSettings): Promise<void> {
  add(file, (await readCurrent(file)).text, settings);
}

/** Adds the settings to the file, after a copy of it has been put beside it. */
export async function writeToolFile(
  file: string,
  settings: ToolSettings,
  key: { readonly keyHash: string; readonly dataDir: string },
): Promise<{ readonly existed: boolean; readonly isReadByOthers: boolean }> {
  const { path, text, mode } = await readCurrent(file);
  const added = add(file, text, settings);
  return explain(file, async () => {
    const madeFolder = (await mkdir(dirname(path), { recursive: true })) ?? null;
    if (mode !== undefined) {
      await copyFile(path, toBackupPath(file));
      await chmod(toBackupPath(file), 0o600);
    }
    const record: ConnectionRecord = {
      version: 1,
      ...key,
      existed: mode !== undefined,
      madeFolder,
      writtenHash: hash(added.text),
      entries: added.entries,
    };
    await replace(toRecordPath(file), `${JSON.stringify(record, null, 2)}\n`, 0o600);
    await replace(path, added.text, mode ?? 0o600);
    return {
      existed: mode !== undefined,
      isReadByOthers: process.platform !== 'win32' && ((mode ?? 0o600) & 0o044) !== 0,
    };
  });
}

/** What is remembered of a connection; undefined where nothing was written. */
export async function readConnection(file: string): Promise<ConnectionRecord | undefined> {
  const text = await readFile(toRecordPath(file), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as ConnectionRecord;
  } catch {
    throw new SettingsFileError(
      `${toRecordPath(file)} is damaged, so the written entries are unknown. ` +
        `${toBackupPath(file)} is the original file; restore it by hand and delete both.`,
    );
  }
}

/** The outcome of an undo: the file is as it was, or without our entries, or there is none. */
export interface Undone {
  readonly outcome: 'restored' | 'removed' | 'deleted' | 'gone';
  /** Entries that were changed since, and so stay. */
  readonly left: readonly string[];
}

/** Takes back what was written: to the byte where the file is unchanged since, else entry by entry. */
export async function undoToolFile(
  file: string,
  { format, record }: { readonly format: SettingsFormat; readonly record: ConnectionRecord },
): Promise<Undone> {
  const { path, text, mode } = await readCurrent(file);
  if (mode === undefined) return { outcome: 'gone', left: [] };
  const backup = record.existed ? await readFile(toBackupPath(file)).catch(() => undefined) : undefined;
  const isUnchanged = hash(text) === record.writtenHash;
  return explain(file, async () => {
    if (isUnchanged && !record.existed) {
      await rm(path);
      await removeFolders(dirname(path), record.madeFolder);
      return { outcome: 'deleted', left: [] };
    }
    if (isUnchanged && backup !== undefined) {
      await replace(path, backup, mode);
      return { outcome: 'restored', left: [] };
    }
    const before = stripMark(backup?.toString('utf8') ?? '');
    const removed = inFile(file, () => removeSettings(format, stripMark(text), { entries: record.entries, before }));
    await replace(path, restoreMark(text, removed.text), mode);
    return { outcome: 'removed', left: removed.left };
  });
}

/** Forgets a connection that has been undone, and the copy of the file. */
export async function forgetConnection(file: string): Promise<void> {
  await rm(toBackupPath(file), { force: true });
  await rm(toRecordPath(file), { force: true });
}

function add(file: string, text: string, { format, snippet, keeps }: ToolSettings) {
  const { entries, text: changed } = inFile(file, () => addSettings(format, stripMark(text), { snippet, keeps }));
  return { entries, text: restoreMark(text, changed) };
}

async function readCurrent(file: string): Promise<Current> {
  return explain(file, async () => {
    const path = await realpath(file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file;
      throw error;
    });
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return { path, text: '', mode: undefined };
    if (!found.isFile()) throw new SettingsFileError(`${file} is not a file. Nothing was changed.`);
    const bytes = await readFile(path);
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      return { path, text, mode: found.mode & 0o777 };
    } catch {
      throw new SettingsFileError(`${file} is not UTF-8 text. It was not changed.`);
    }
  });
}

/** A reader sees the old file or the new one, and never a part. */
async function replace(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, content, { mode, flag: 'wx', flush: true });
    await chmod(temporary, mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes the folders that were made for the file, as far as nothing else is in them. */
async function removeFolders(folder: string, first: string | null): Promise<void> {
  if (first === null || !folder.startsWith(first)) return;
  const isRemoved = await rmdir(folder).then(
    () => true,
    () => false,
  );
  if (isRemoved) await removeFolders(dirname(folder), first);
}

function inFile<Result>(file: string, change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof SettingsFileError)) throw error;
    throw new SettingsFileError(
      `${file} was not changed: ${error.message}. Correct the file, or change it by hand as shown by the command without --write and --undo.`,
      { cause: error },
    );
  }
}

async function explain<Result>(file: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SettingsFileError(`${file} cannot be read or written: ${message}`, { cause: error });
  }
}

const stripMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
const restoreMark = (original: string, text: string): string =>
  original.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK + text : text;
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
