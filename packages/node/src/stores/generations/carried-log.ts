import { createCarriedSpending, createTurns, type SpendingBook, type SpendingSum } from '@model-gateway/core';

import { replaceFile } from '../files/atomic-file.ts';
import { ifThere } from '../files/file-system.ts';
import { toLine } from '../log/record-line.ts';
import { type RecoveryOptions, recoverLog } from '../log/recover-log.ts';
import { inOrderOfDays } from './load-generations.ts';

export interface CarriedLogOptions extends RecoveryOptions {
  /** Its directory exists and belongs to this process. */
  readonly path: string;
  /** Gets what was carried, now and later. */
  readonly spending: SpendingBook;
}

/** What was carried from other stores, on disk: it belongs to no day, and retention leaves it alone. */
export interface CarriedLog {
  list(exceptFrom?: string): Iterable<SpendingSum>;
  /** On the disk when it resolves; when it rejects, what was there before counts. */
  carry(source: string, sums: Iterable<SpendingSum>): Promise<void>;
}

/** A part of what was carried from a source: lines have a limit, and sums have none. */
interface CarriedLine {
  readonly source: string;
  readonly sums: readonly SpendingSum[];
}

const SUMS_A_LINE = 1000;

/** Reads what was carried, and adds it to the spending. The file is replaced as a whole at each change. */
export async function openCarriedLog(options: CarriedLogOptions): Promise<CarriedLog> {
  const { files, path, spending } = options;
  const carried = createCarriedSpending(spending);
  const stored = await load(options);
  spending.beginStored();
  for (const [source, sums] of stored) carried.put(source, inOrderOfDays(sums));
  spending.endStored();
  const inTurn = createTurns();
  const carry = async (source: string, sums: readonly SpendingSum[]): Promise<void> => {
    const all = new Map([...carried.sources, [source, sums]]);
    await replaceFile(files, path, async (write) => {
      for (const line of toLines(all)) await write(toLine(JSON.stringify(line)));
    });
    carried.put(source, sums);
  };
  return {
    list: carried.list,
    carry(source, sums) {
      const taken = [...sums];
      return inTurn(() => carry(source, taken));
    },
  };
}

async function load(options: CarriedLogOptions): Promise<ReadonlyMap<string, readonly SpendingSum[]>> {
  const sources = new Map<string, SpendingSum[]>();
  const onRecord = (record: Buffer): void => {
    const { source, sums } = JSON.parse(record.toString()) as CarriedLine;
    sources.set(source, [...(sources.get(source) ?? []), ...sums]);
  };
  await ifThere(recoverLog(options, options.path, onRecord));
  return sources;
}

function* toLines(sources: ReadonlyMap<string, readonly SpendingSum[]>): Iterable<CarriedLine> {
  for (const [source, sums] of sources) {
    for (let at = 0; at < sums.length; at += SUMS_A_LINE) yield { source, sums: sums.slice(at, at + SUMS_A_LINE) };
  }
}
