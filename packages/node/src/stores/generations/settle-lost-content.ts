import type { Logger } from '@model-gateway/core';

import type { GenerationEntry } from '../generation-index/generation-entry.ts';
import { addOperation, type Journal } from '../journal/journal.ts';
import type { ContentReader } from './content-reader.ts';

export interface LostContentOptions<Operation> {
  readonly logger: Logger | undefined;
  readonly reader: ContentReader;
  readonly journal: Journal<Operation>;
  /** Makes the operation that settles an entry in the journal. */
  readonly toOperation: (entry: GenerationEntry) => Operation;
}

/**
 * Settles entries whose content lies beyond the end of its file. Content that is found elsewhere in the file is kept;
 * for the rest a line records that there is none, so that it is reported only once. Such entries arise when the process
 * is killed between the two files of a batch, which was then not acknowledged, or when the machine fails, for the last
 * second.
 */
export async function settleLostContent<Operation>(
  { logger, reader, journal, toOperation }: LostContentOptions<Operation>,
  entries: readonly GenerationEntry[],
): Promise<void> {
  const lost: GenerationEntry[] = [];
  const files = new Set<string>();
  for (const entry of entries) {
    const file = entry.content?.file;
    if (file === undefined || (await reader.readBytes(entry)) !== undefined) continue;
    lost.push(entry);
    files.add(file);
  }
  if (lost.length === 0) return;
  logger?.warn('Content that was being written in a crash is lost', { generations: lost.length, files: [...files] });
  // A failed write is no reason not to open: the next start reports the loss again.
  await Promise.allSettled(lost.map((entry) => addOperation(journal.batch(), toOperation(entry))));
}
