import type { JournaledRecord } from '@model-gateway/core';

import { atEndOfTurn } from '../../node-timers.ts';
import { createLineBuffer } from '../journal/record-line.ts';
import type { RecordSegments } from './record-segments.ts';

interface Waiting {
  readonly record: JournaledRecord;
  readonly resolve: (segment: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes records to segments: those that arrive during a write are gathered, and written next with one write. */
export interface GroupCommit {
  append(record: JournaledRecord): Promise<number>;
  /** Does something while nothing is being written. */
  between(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export function createGroupCommit(segments: Pick<RecordSegments, 'write'>): GroupCommit {
  const lines = createLineBuffer();
  let waiting: Waiting[] = [];
  let drained: Promise<void> = Promise.resolve();
  let isDraining = false;
  let isClosed = false;
  const works: (() => Promise<void>)[] = [];

  const writeNext = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      for (const { record } of batch) lines.add(`{"record":${record.record},"content":`, record.content ?? 'null', '}');
      const segment = await segments.write(lines, batch.length);
      for (const { resolve } of batch) resolve(segment);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    lines.clear();
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0 || works.length > 0) {
      for (const work of works.splice(0)) await work();
      if (waiting.length > 0) await writeNext();
    }
    isDraining = false;
  };
  const begin = (): void => {
    if (isDraining) return;
    isDraining = true;
    // Requests that end in the same turn share the write.
    drained = new Promise((resolve) => atEndOfTurn(() => resolve(drain())));
  };
  return {
    append(record) {
      if (isClosed) return Promise.reject(new Error('The journal is closed'));
      return new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        begin();
      });
    },
    between(work) {
      return new Promise((resolve, reject) => {
        works.push(() => work().then(resolve, reject));
        begin();
      });
    },
    async close() {
      isClosed = true;
      await drained;
    },
  };
}
