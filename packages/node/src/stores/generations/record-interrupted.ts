import { type GenerationRepository, type Logger, toInterruptedRecord } from '@model-gateway/core';

import type { RunningLog } from './running-log.ts';

/**
 * Records the calls that an earlier process had noted as under way and did not record, each once: whether a crash comes
 * before or after any step of this, its id tells.
 */
export async function recordInterrupted(
  running: Pick<RunningLog, 'found' | 'note'>,
  generations: Pick<GenerationRepository, 'append' | 'get'>,
  logger: Logger | undefined,
): Promise<void> {
  let streams = 0;
  for (const call of running.found) {
    if ((await generations.get(call.record.generation.id)) !== undefined) continue;
    await generations.append(toInterruptedRecord(call), null);
    streams += 1;
  }
  if (streams > 0) {
    logger?.warn('Streams were cut by the end of the last process; they are recorded as interrupted, at an estimate', {
      streams,
    });
  }
  await running.note([]);
}
