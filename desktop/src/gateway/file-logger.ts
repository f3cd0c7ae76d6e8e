import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from '@model-gateway/core';
import { createLogger } from 'model-gateway/embed';

/** At this size a new log begins; one earlier log is kept. */
const MAX_BYTES = 5 * 1024 * 1024;

export interface FileLogger extends Logger {
  close(): void;
}

/** Creates a log in `gateway.log` of a directory, one JSON line an event, without secrets. */
export function createFileLogger(dir: string, secrets: readonly string[]): FileLogger {
  const file = join(dir, 'gateway.log');
  mkdirSync(dir, { recursive: true });
  let size = sizeOf(file);
  const write = (line: string): void => {
    if (size > MAX_BYTES) {
      renameSync(file, `${file}.1`);
      size = 0;
    }
    appendFileSync(file, line);
    size += Buffer.byteLength(line);
  };
  const logger = createLogger({ level: 'info', secrets, destination: { write } });
  return { ...logger, close: () => logger.flush() };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
