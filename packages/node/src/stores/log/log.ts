import type { Awaitable } from '@model-gateway/core';

import { atEndOfTurn } from '../../node-timers.ts';
import type { FileSystem } from '../files/file-system.ts';
import { appendTogether } from './append-file.ts';
import { createLineBuffer, type LineBuffer } from './record-line.ts';
import type { OpenSegments, Segment } from './segments.ts';

/** With so many bytes a write begins: many long contents that come together would fill the memory twice. */
const FULL_WRITE_BYTES = 2 * 1024 * 1024;

/** Lines that are written together: all of them or none. */
export interface Batch<Written extends Segment> {
  readonly segment: Written;
  /** For each file of the segment. */
  readonly lines: readonly LineBuffer[];
}

export interface LogOptions<Operation, Written extends Segment, Result> {
  readonly files: FileSystem;
  readonly segments: OpenSegments<Written>;
  /** The number of files in a segment. */
  readonly filesInSegment: number;
  /** The segment for the next write. Where it rejects, what was to be written is refused. */
  readonly choose: () => Awaitable<Written>;
  /**
   * Adds the lines of an operation to its batch, right before the batch is written: many in a row take half the time of
   * encoding each on its own. An operation for which it throws is refused alone; so it throws before it adds any.
   */
  readonly encode: (operation: Operation, batch: Batch<Written>) => void;
  /** Called in the order of writing, before the promises resolve. Must not throw. */
  readonly commit: (operation: Operation, segment: Written) => void;
  /** What the promises of operations resolve with. */
  readonly toResult: (segment: Written) => Result;
  /** What operations are refused with after the end. */
  readonly closedMessage: string;
}

/**
 * An append-only log in segments, with group commit: operations that arrive during a write are gathered, and written
 * next, with one write to each file where they are not too long for it (docs/decisions/0003, 0017, 0021). Sets no timer
 * and opens no file for a single record.
 */
export interface Log<Operation, Result> {
  /** Resolves when the operation is written, at least to the system's cache. */
  append(operation: Operation): Promise<Result>;
  /** Does something while nothing is being written; nothing after the end. */
  between(work: () => Awaitable<unknown>): Promise<void>;
  /** Syncs everything written so far. */
  sync(): Promise<void>;
  /** Writes and syncs what is pending and closes the files. Rejects when something may not be durable. */
  close(): Promise<void>;
}

/** An operation, and the callbacks for its result. */
interface Waiting<Operation, Result> {
  readonly operation: Operation;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a log that writes to segments. The caller closes it, and the segments with it. */
export function createLog<Operation, Written extends Segment, Result>(
  options: LogOptions<Operation, Written, Result>,
): Log<Operation, Result> {
  const { segments } = options;
  const lines = Array.from({ length: options.filesInSegment }, createLineBuffer);
  let waiting: Waiting<Operation, Result>[] = [];
  let works: (() => Promise<void>)[] = [];
  let drained: Promise<void> = Promise.resolve();
  let isDraining = false;
  let isClosed = false;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0 || works.length > 0) {
      const due = works;
      works = [];
      for (const work of due) await work();
      const gathered = waiting;
      waiting = [];
      for (let next = 0; next < gathered.length;) next = await writeSome(options, lines, { gathered, first: next });
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
    append(operation) {
      if (isClosed) return Promise.reject(new Error(options.closedMessage));
      return new Promise((resolve, reject) => {
        waiting.push({ operation, resolve, reject });
        begin();
      });
    },
    between(work) {
      if (isClosed) return Promise.resolve();
      const begun = async (): Promise<void> => void (await work());
      return new Promise((resolve, reject) => {
        works.push(() => begun().then(resolve, reject));
        begin();
      });
    },
    sync: () => segments.sync(),
    async close() {
      isClosed = true;
      await drained;
      await segments.close();
    },
  };
}

interface Gathered<Operation, Result> {
  readonly gathered: readonly Waiting<Operation, Result>[];
  readonly first: number;
}

/** Writes operations from `first` on, as many as one write takes. Returns the place of the next. */
async function writeSome<Operation, Written extends Segment, Result>(
  options: LogOptions<Operation, Written, Result>,
  lines: readonly LineBuffer[],
  { gathered, first }: Gathered<Operation, Result>,
): Promise<number> {
  const { files, segments, encode, commit, toResult } = options;
  let next = gathered.length;
  let written = first === 0 ? gathered : gathered.slice(first);
  try {
    const segment = await options.choose();
    const repaired = segments.repair();
    if (repaired !== undefined) await repaired;
    const batch = { segment, lines };
    ({ written, next } = encodeSome(encode, batch, { gathered, first }));
    await appendTogether(files, segment.files, lines);
    for (const { operation } of written) commit(operation, segment);
    const result = toResult(segment);
    for (const { resolve } of written) resolve(result);
    segments.scheduleSync();
  } catch (error) {
    for (const { reject } of written) reject(error);
  }
  for (const buffer of lines) buffer.clear();
  return next;
}

/**
 * Adds the lines of operations to the buffers until they are full. Returns the operations, without those refused as not
 * encodable, and the place of the next.
 */
function encodeSome<Operation, Written extends Segment, Result>(
  encode: LogOptions<Operation, Written, Result>['encode'],
  batch: Batch<Written>,
  { gathered, first }: Gathered<Operation, Result>,
): { readonly written: Waiting<Operation, Result>[]; readonly next: number } {
  const written: Waiting<Operation, Result>[] = [];
  let next = first;
  for (; next < gathered.length && bytesOf(batch.lines) < FULL_WRITE_BYTES; next += 1) {
    const each = gathered[next] as Waiting<Operation, Result>;
    try {
      encode(each.operation, batch);
      written.push(each);
    } catch (error) {
      each.reject(error);
    }
  }
  return { written, next };
}

function bytesOf(lines: readonly LineBuffer[]): number {
  let bytes = 0;
  for (const { length } of lines) bytes += length;
  return bytes;
}
