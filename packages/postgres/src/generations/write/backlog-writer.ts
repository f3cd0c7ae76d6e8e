import { type Backlog, type BacklogOptions, createBacklog } from './backlog.ts';
import type { PendingRecord } from './pending-record.ts';
import { createWritePace } from './write-pace.ts';

/** Brings what is in the journal alone to the database, beside the batches of what is in memory. */
export interface BacklogWriter extends Pick<Backlog, 'isEmpty' | 'records' | 'add' | 'restart'> {
  /** Whether something is being written. */
  readonly isActive: boolean;
  /** Above 0 while it does not succeed. */
  readonly retryMs: number;
  /** Begins with what is there, as the database is. */
  wake(): void;
  /** Begins nothing more. */
  stop(): void;
}

export interface BacklogWriterOptions extends BacklogOptions {
  readonly write: (records: readonly PendingRecord[]) => Promise<void>;
  /** Called after each step. */
  readonly onStep: () => void;
}

const MESSAGES = {
  failed: 'Generations in the journal cannot be brought to the database; they stay there, and it is tried again',
  recovered: 'Generations in the journal are brought to the database again',
};

export function createBacklogWriter({ write, onStep, ...options }: BacklogWriterOptions): BacklogWriter {
  const backlog = createBacklog(options);
  const pace = createWritePace(options.logger, MESSAGES);
  let timer: NodeJS.Timeout | undefined;
  let isActive = false;
  let isAwake = false;

  const schedule = (): void => {
    if (!isAwake || isActive || timer !== undefined || backlog.isEmpty) return;
    timer = setTimeout(() => {
      timer = undefined;
      void writeNext();
    }, pace.retryMs);
  };
  const writeNext = async (): Promise<void> => {
    isActive = true;
    try {
      await backlog.writeNext(pace.limits, write);
      pace.succeed();
    } catch (error) {
      pace.fail(error);
    }
    isActive = false;
    schedule();
    onStep();
  };
  const cancel = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    get isEmpty() {
      return backlog.isEmpty;
    },
    get records() {
      return backlog.records;
    },
    get isActive() {
      return isActive;
    },
    get retryMs() {
      return pace.retryMs;
    },
    add(segment, records) {
      backlog.add(segment, records);
      schedule();
    },
    restart: backlog.restart,
    wake() {
      isAwake = true;
      pace.resume();
      cancel();
      schedule();
    },
    stop() {
      isAwake = false;
      cancel();
    },
  };
}
