import { join } from 'node:path';

import { EMPTY_TABLES, type Logger, type Tables, tablesSchema } from '@model-gateway/core';
import { type Adapter, Low } from 'lowdb';
import { z } from 'zod';

import { readWholeFile, replaceFile, setAside } from '../files/atomic-file.ts';
import { errorCode, errorReason, type FileSystem } from '../files/file-system.ts';
import { UnusableDirectoryError } from '../files/unusable-directory-error.ts';

/** The version of everything in the data directory; raised when an older program would misread it. */
export const FORMAT_VERSION = 1;

/** Contents of `config.json`: the tables that change seldom. */
export interface ConfigData extends Tables {
  readonly version: number;
}

/** The one file of tables that change seldom, in memory and on disk. */
export interface ConfigFile {
  /** Data as last written: never data whose write may still fail. */
  readonly data: ConfigData;
  /** Whether there was none before. */
  readonly isNew: boolean;
  /** Writes what `change` makes of the present data; durable when it resolves, unchanged when it rejects. */
  change(change: (data: ConfigData) => ConfigData): Promise<void>;
  /** Resolves when nothing is being written any more. */
  settled(): Promise<void>;
}

const configSchema = tablesSchema.extend({ version: z.int() });
const NOTHING: ConfigData = { version: FORMAT_VERSION, ...EMPTY_TABLES };

/** Parts that opening the file requires. `directory` exists and belongs to this process. */
export interface ConfigFileOptions {
  readonly files: FileSystem;
  readonly directory: string;
  readonly logger: Logger | undefined;
  readonly now: () => number;
}

/**
 * Opens `config.json`, or begins one. When it is damaged, the version before the last change takes its place and the
 * damaged file is set aside, with a warning; without a readable version it throws and changes nothing.
 */
export async function openConfigFile(options: ConfigFileOptions): Promise<ConfigFile> {
  const low = new Low<ConfigData>(createAdapter(options), NOTHING);
  await low.read();
  const isNew = low.data === NOTHING;
  await low.write();

  let lastChange: Promise<void> = Promise.resolve();
  let written = low.data;
  const apply = async (change: (data: ConfigData) => ConfigData): Promise<void> => {
    const next = change(written);
    low.data = next;
    await low.write();
    written = next;
  };

  return {
    get data() {
      return written;
    },
    isNew,
    change(change) {
      // One after the other, each on what the one before has made durable.
      const done = lastChange.then(() => apply(change));
      lastChange = done.catch(() => undefined);
      return done;
    },
    settled: () => lastChange,
  };
}

function createAdapter(options: ConfigFileOptions): Adapter<ConfigData> {
  const path = join(options.directory, 'config.json');
  const previousPath = join(options.directory, 'config.previous.json');
  let lastText: string | undefined;
  return {
    async read() {
      const found = await readConfig(options.files, path);
      if (found.status === 'good') {
        lastText = found.text;
        return found.data;
      }
      return recover(options, { path, previousPath, problem: found });
    },
    async write(data) {
      const text = `${JSON.stringify(data, null, 2)}\n`;
      // An unchanged text must not push the version before it out of `config.previous.json`.
      if (text === lastText) return;
      // A failure may come after the rename: what is there is not known then.
      lastText = undefined;
      await replaceFile(options.files, path, Buffer.from(text), { previousPath });
      lastText = text;
    },
  };
}

type ReadConfig =
  | { readonly status: 'good'; readonly data: ConfigData; readonly text: string }
  | { readonly status: 'missing' }
  | { readonly status: 'damaged'; readonly reason: string };

async function readConfig(files: FileSystem, path: string): Promise<ReadConfig> {
  let text: string;
  try {
    text = (await readWholeFile(files, path)).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { status: 'missing' };
    throw error;
  }
  let parsed: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { status: 'damaged', reason: errorReason(error) };
  }
  refuseNewerVersion(path, parsed);
  const checked = configSchema.safeParse(parsed);
  // The data as written, not as checked: fields that a newer program of the same version added are preserved.
  return checked.success
    ? { status: 'good', data: { ...NOTHING, ...(parsed as ConfigData) }, text }
    : { status: 'damaged', reason: z.prettifyError(checked.error).replaceAll(/\s*\n\s*/g, ' ') };
}

async function recover(
  options: ConfigFileOptions,
  found: { readonly path: string; readonly previousPath: string; readonly problem: ReadConfig },
): Promise<ConfigData | null> {
  const { files, logger } = options;
  const previous = await readConfig(files, found.previousPath);
  const isMissing = found.problem.status === 'missing';
  if (isMissing && previous.status === 'missing') return null;
  const reason = found.problem.status === 'damaged' ? found.problem.reason : 'it is missing';
  if (previous.status !== 'good') {
    throw new UnusableDirectoryError(
      `${found.path} cannot be read (${reason}), nor can the version before it, ${found.previousPath}. Nothing was ` +
        'changed. Restore one of them from a backup, or move both away to begin again without keys',
    );
  }
  const keptAs = isMissing ? null : await setAside(files, found.path, options.now());
  await replaceFile(files, found.path, Buffer.from(previous.text));
  logger?.warn('config.json could not be read; the version before its last change is used', { reason, keptAs });
  return previous.data;
}

/** Throws when a file was written by a newer program, whose facts this one would misread or lose. */
export function refuseNewerVersion(path: string, parsed: unknown): void {
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  if (typeof version !== 'number' || version <= FORMAT_VERSION) return;
  throw new UnusableDirectoryError(
    `${path} was written by a newer Model Gateway (format ${version}; this one reads up to ${FORMAT_VERSION}). ` +
      'Update Model Gateway, or choose another data directory',
  );
}
