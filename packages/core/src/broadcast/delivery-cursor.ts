import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { BroadcastRow } from '../stores/rows.ts';
import type { Repository } from '../stores/store.ts';

export interface DeliveryCursorOptions {
  /** The id of the destination. */
  readonly id: string;
  readonly rows: Repository<BroadcastRow>;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly logger: Logger;
}

/**
 * The last generation that needs no delivery to a destination any more. Saved every few seconds: what was delivered
 * after the last save is sent again after a crash.
 */
export interface DeliveryCursor {
  moveTo(generationId: string): void;
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 5000;

export function createDeliveryCursor({ id, rows, platform, logger }: DeliveryCursorOptions): DeliveryCursor {
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
    moveTo(generationId) {
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
