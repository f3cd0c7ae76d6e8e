import { join } from 'node:path';

import { EMPTY_TABLES, type Logger, type Tables, tablesSchema } from '@model-gateway/core';
import { type Adapter, Low } from 'lowdb';
import { z } from 'zod';

import { readWholeFile, replaceFile, setAside } from '../files/atomic-file.ts';
import { errorCode, errorReason, type FileSystem } from '../files/file-system.ts';
import { UnusableDirectoryError } from '../files/unusable-directory-error.ts';

/** The format version of the data directory; raised when an older program would misread it. */
export const FORMAT_VERSION = 1;

/** The content of `config.json`: the tables that change seldom. */
export interface ConfigData extends Tables {
  readonly version: number;
}

/** The file of the tables that change seldom, in memory and on disk. */
export interface ConfigFile {
  /** The data of the last successful write. */
  readonly data: ConfigData;
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
  /** Writes the result of `change` for the present data. Durable when it resolves, unchanged when it rejects. */
  change(change: (data: ConfigData) => ConfigData): Promise<void>;
  /** Resolves when no write is running. */
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
 * Opens `config.json`, or creates one. When it is damaged, the version before the last change is used and the damaged
 * file is set aside, with a warning; without a readable version it throws and changes nothing.
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
      // Changes run one after the other, each on the result of the one before.
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
      // Writing the same text again would replace the version before it in `config.previous.json`.
      if (text === lastText) return;
      // The failure may have come after the rename, so the content of the file is unknown.
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
    // Some editors add a byte order mark.
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { status: 'damaged', reason: errorReason(error) };
  }
  refuseNewerVersion(path, parsed);
  const checked = configSchema.safeParse(parsed);
  // Uses the data as written, not as checked, to keep fields that a newer program of the same version added.
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

/** Throws when a newer program has written the file: this one would misread or lose its data. */
export function refuseNewerVersion(path: string, parsed: unknown): void {
  const version = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  if (typeof version !== 'number' || version <= FORMAT_VERSION) return;
  throw new UnusableDirectoryError(
    `${path} was written by a newer Model Gateway (format ${version}; this one reads up to ${FORMAT_VERSION}). ` +
      'Update Model Gateway, or choose another data directory',
  );
}
