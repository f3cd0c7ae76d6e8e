import { createTurns, type RowChange } from '@model-gateway/core';

import { replaceFile } from '../files/atomic-file.ts';
import { ifThere } from '../files/file-system.ts';
import { appendLine, closeSynced, openAppendFile, syncFile } from './append-file.ts';
import { toLine } from './record-line.ts';
import { type RecoveryOptions, recoverLog } from './recover-log.ts';

export interface RowLogOptions<Row> extends RecoveryOptions {
  /** Its directory exists and belongs to this process. */
  readonly path: string;
  /** Whether a row that is found at start is kept. */
  readonly isRetained: (row: Row) => boolean;
}

/** The log of one table: each change is a line. */
export interface RowLog<Row> {
  /** Rows found at start, oldest first. */
  readonly rows: readonly Row[];
  /**
   * Synced when it resolves; when it rejects, nothing of the change remains. Call it for one change at a time. Rejects
   * once the log is closed.
   */
  write(change: RowChange<Row>): Promise<void>;
  /** Waits for the change that is being written. A second call is the first. */
  close(): Promise<void>;
}

/** With more outdated lines than this, the file is rewritten at start. */
const STALE_LINES = 1000;

/**
 * Opens the log of a table, or creates one. The last line about a row counts. As in every log of the store, a line that
 * a crash has cut short is removed, and damage is set aside. The caller closes it.
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
  const inTurn = createTurns();
  let closing: Promise<void> | undefined;
  return {
    rows,
    write(change) {
      if (closing !== undefined) return Promise.reject(new Error('The store is closed'));
      const line = toLine(JSON.stringify(change));
      return inTurn(async () => {
        await appendLine(files, file, line);
        await syncFile(files, file);
      });
    },
    // Once: by the second time the system may have given the number of the descriptor to another file.
    close: () => (closing ??= inTurn(() => closeSynced(files, file))),
  };
}

async function load<Row extends { readonly id: string }>(
  options: RowLogOptions<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly lines: number }> {
  const byId = new Map<string, Row>();
  let lines = 0;
  const onRecord = (record: Buffer): void => {
    lines += 1;
    const change = JSON.parse(record.toString()) as RowChange<Row>;
    if ('put' in change) byId.set(change.put.id, change.put);
    else byId.delete(change.removed);
  };
  await ifThere(recoverLog(options, options.path, onRecord));
  return { rows: [...byId.values()].filter((row) => options.isRetained(row)), lines };
}
