import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { replaceFile, setAside } from '../files/atomic-file.ts';
import { segmentLine } from '../journal/generation-lines.ts';
import type { JournalReaderOptions } from '../journal/journal-reader.ts';
import { toLine } from '../journal/record-line.ts';
import { parseLogFileName, type SegmentName } from '../journal/segment-name.ts';

/** A log of generations in which not even its first line was found. */
export interface EmptiedLog {
  readonly segment: SegmentName;
  readonly path: string;
  /** Whether its damage has been reported, and the file was set aside. */
  readonly isReported: boolean;
}

/**
 * Reports a log of generations that holds nothing beside contents of its day: the contents are written after its first
 * line, so something has emptied it. Sets it aside, by which the contents are known to be more than leftovers, and puts
 * a new one in its place.
 */
export async function reportEmptiedLog(
  options: JournalReaderOptions & { readonly logsPath: string },
  { segment, path, isReported }: EmptiedLog,
): Promise<void> {
  const { files, logsPath, logger, now } = options;
  const contents: string[] = [];
  for (const name of await files.list(logsPath)) {
    const file = parseLogFileName(name);
    if (file?.kind !== 'content' || file.segment !== segment || file.isCorrupt) continue;
    if ((await stat(join(logsPath, name))).size > 0) contents.push(name);
  }
  if (contents.length === 0) return;
  const keptAs = isReported ? undefined : await setAside(files, path, now());
  await replaceFile(files, path, toLine(segmentLine()));
  if (isReported) return;
  logger?.warn(
    'A log of generations is empty beside the contents of its day; the contents are kept, what was said about them is lost',
    { file: path, keptAs, contents },
  );
}

/** Reports contents beside which there is no log at all. They are kept, in case it is put back. */
export function reportMissingLogs({ logger }: Pick<JournalReaderOptions, 'logger'>, names: readonly string[]): void {
  const files = names.flatMap((name) => parseLogFileName(name) ?? []);
  const described = new Set(files.flatMap(({ kind, segment }) => (kind === 'generations' ? [segment] : [])));
  const contents = names.filter((name) => {
    const file = parseLogFileName(name);
    return file?.kind === 'content' && !file.isCorrupt && !described.has(file.segment);
  });
  if (contents.length === 0) return;
  logger?.warn('Contents have no log of generations beside them; they are kept until they are too old', { contents });
}
