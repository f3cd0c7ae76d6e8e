import { createTurns, type JournaledRecord } from '@model-gateway/core';

import type { FileSystem } from '../files/file-system.ts';
import { type AppendFile, cutOff, moveEnd, openAppendFile, syncFile, writeAtEnd } from '../journal/append-file.ts';
import { toLine } from '../journal/record-line.ts';

/** Records that a database refuses, in a file for people to look at. There is none before the first. */
export interface RefusedRecords {
  add(record: JournaledRecord, reason: string): Promise<void>;
  close(): Promise<void>;
}

export function openRefusedRecords({
  files,
  path,
}: {
  readonly files: FileSystem;
  readonly path: string;
}): RefusedRecords {
  let file: AppendFile | null = null;
  const inTurn = createTurns();
  const write = async (line: Buffer): Promise<void> => {
    file ??= await openAppendFile(files, path);
    try {
      await writeAtEnd(files, file, line, line.length);
    } catch (error) {
      await cutOff(files, file);
      throw error;
    }
    moveEnd(file, line.length);
    await syncFile(files, file);
  };
  return {
    add: (record, reason) => inTurn(() => write(toLine(JSON.stringify({ reason, ...record })))),
    close: () =>
      inTurn(async () => {
        if (file !== null) await files.close(file.fd);
        file = null;
      }),
  };
}
