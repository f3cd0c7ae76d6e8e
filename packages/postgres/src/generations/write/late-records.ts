import type { Logger } from '@model-gateway/core';

import type { PendingRecord } from './pending-record.ts';

/** Records that came when retention had dropped their day, and are left out: what they cost has been counted. */
export interface LateRecords {
  /** Notes those of a batch. Logs the first. */
  note(records: readonly PendingRecord[], late: ReadonlySet<string>): void;
  count(): number;
}

export function createLateRecords(logger: Logger | undefined): LateRecords {
  let noted = 0;
  return {
    note(records, late) {
      if (late.size > 0 && noted === 0) {
        const days = new Set(records.flatMap(({ id, day }) => (late.has(id) ? [day] : [])));
        logger?.warn('Generations came again whose day retention has dropped; they are not stored or counted', {
          generations: late.size,
          days: [...days],
        });
      }
      noted += late.size;
    },
    count: () => noted,
  };
}
