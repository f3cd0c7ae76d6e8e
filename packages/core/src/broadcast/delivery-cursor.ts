import type { Logger } from '../foundation/logger.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BroadcastRow } from '../stores/broadcast-row.ts';
import type { Repository } from '../stores/store.ts';

export interface ProgressNoteOptions {
  /** The destination's. */
  readonly id: string;
  readonly rows: Repository<BroadcastRow>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly logger: Logger;
}

/** The progress of a destination, saved periodically: after a crash, generations of a few seconds are sent twice. */
export interface ProgressNote {
  note(generationId: string): void;
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 5000;

export function createProgressNote({ id, rows, platform, logger }: ProgressNoteOptions): ProgressNote {
  let through: string | undefined;
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const write = (): void => {
    cancelTimer = undefined;
    if (through === undefined) return;
    const row: BroadcastRow = { kind: 'progress', id, through };
    through = undefined;
    writing = rows
      .update(id, () => row, row)
      .catch((error: unknown) => {
        logger.error('the progress of a broadcast could not be written', { destination: id, reason: String(error) });
      });
  };

  return {
    note(generationId) {
      through = generationId;
      cancelTimer ??= platform.setTimer(write, WRITE_EVERY_MS);
    },
    async close() {
      cancelTimer?.();
      await writing;
      write();
      await writing;
    },
  };
}
