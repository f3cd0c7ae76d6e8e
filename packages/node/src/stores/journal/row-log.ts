import type { Logger, RowChange } from '@model-gateway/core';

import { replaceFile } from '../files/atomic-file.ts';
import { errorCode, type FileSystem } from '../files/file-system.ts';
import { type AppendFile, cutOff, moveEnd, openAppendFile, syncFile, writeAtEnd } from './append-file.ts';
import { recoverJournal } from './journal-reader.ts';
import { toLine } from './record-line.ts';

export interface RowLogOptions<Row> {
  readonly files: FileSystem;
  /** Its directory exists and belongs to this process. */
  readonly path: string;
  readonly logger: Logger | undefined;
  readonly now: () => number;
  /** Whether a row that is found at start is still wanted. */
  readonly isRetained: (row: Row) => boolean;
}

/** The changes of one table, each a line. */
export interface RowLog<Row> {
  /** Rows found at start, oldest first. */
  readonly rows: readonly Row[];
  /** On the disk itself when it resolves; when it rejects, nothing of it remains. One at a time. */
  write(change: RowChange<Row>): Promise<void>;
  close(): Promise<void>;
}

/** Above this many lines that say nothing any more the file is written anew at start. */
const STALE_LINES = 1000;

/**
 * Opens the log of a table, or begins one. The last line about a row wins. What a crash has cut short is removed, what
 * is damaged set aside, as for every log of the store. The caller closes it.
 */
export async function openRowLog<Row extends { readonly id: string }>(
  options: RowLogOptions<Row>,
): Promise<RowLog<Row>> {
  const { files, path } = options;
  const { rows, lines } = await load(options);
  if (lines > rows.length + STALE_LINES) {
    await replaceFile(files, path, Buffer.concat(rows.map((row) => toLine(JSON.stringify({ put: row })))));
  }
  const file = await openAppendFile(files, path);
  return {
    rows,
    write: (change) => append(files, file, toLine(JSON.stringify(change))),
    async close() {
      try {
        await syncFile(files, file);
      } finally {
        await files.close(file.fd);
      }
    },
  };
}

async function load<Row extends { readonly id: string }>(
  options: RowLogOptions<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly lines: number }> {
  const byId = new Map<string, Row>();
  let lines = 0;
  try {
    await recoverJournal(options, options.path, (record) => {
      lines += 1;
      const change = JSON.parse(record.toString()) as RowChange<Row>;
      if ('put' in change) byId.set(change.put.id, change.put);
      else byId.delete(change.removed);
    });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  return { rows: [...byId.values()].filter((row) => options.isRetained(row)), lines };
}

async function append(files: FileSystem, file: AppendFile, line: Buffer): Promise<void> {
  try {
    await writeAtEnd(files, file, line, line.length);
  } catch (error) {
    await cutOff(files, file);
    throw error;
  }
  moveEnd(file, line.length);
  await syncFile(files, file);
}
