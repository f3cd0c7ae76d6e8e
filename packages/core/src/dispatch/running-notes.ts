import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GenerationRepository, RunningCall } from '../stores/store.ts';
import type { OpenCalls } from './open-calls.ts';

export interface RunningNotesParts {
  readonly openCalls: Pick<OpenCalls, 'streams' | 'onStream'>;
  readonly generations: Pick<GenerationRepository, 'noteRunning'>;
  readonly platform: Pick<Platform, 'setTimer' | 'isPerRequest'>;
  readonly logger: Logger;
}

/** Notes in the store which streams are under way (docs/decisions/0030). */
export interface RunningNotes {
  /** Notes the present state for the last time. */
  close(): Promise<void>;
}

const NOTE_EVERY_MS = 1000;
/** A younger stream is not noted. */
const LEAST_AGE_MS = 1000;

/**
 * Begins to note: one timer for all streams, none without a stream, and nothing at a piece of a stream. Where timers
 * belong to requests nothing is noted.
 */
export function startRunningNotes(parts: RunningNotesParts): RunningNotes {
  const { openCalls, generations, platform, logger } = parts;
  if (generations.noteRunning === undefined || platform.isPerRequest === true)
    return { close: () => Promise.resolve() };
  let isTicking = false;
  let hasNoted = false;
  let hasFailed = false;
  let isClosed = false;
  let cancelTimer = (): void => undefined;
  let noting: Promise<void> = Promise.resolve();

  const note = async (): Promise<void> => {
    const calls: RunningCall[] = [];
    for (const stream of openCalls.streams()) {
      const call = stream.ageMs() < LEAST_AGE_MS ? undefined : stream.running();
      if (call !== undefined) calls.push(call);
    }
    if (calls.length === 0 && !hasNoted) return;
    try {
      await generations.noteRunning?.(calls);
      hasNoted = calls.length > 0;
      hasFailed = false;
    } catch (error) {
      // Logged once, because it is tried again every second.
      if (!hasFailed) logger.warn('streams under way could not be noted', { reason: String(error) });
      hasFailed = true;
    }
  };
  const hasStreams = (): boolean => !openCalls.streams()[Symbol.iterator]().next().done;
  const tick = (): void => {
    noting = note().then(() => {
      isTicking = false;
      if (hasNoted || hasStreams()) begin();
    });
  };
  const begin = (): void => {
    if (isTicking || isClosed) return;
    isTicking = true;
    cancelTimer = platform.setTimer(tick, NOTE_EVERY_MS);
  };

  openCalls.onStream(begin);
  return {
    async close() {
      isClosed = true;
      cancelTimer();
      await noting;
      await note();
    },
  };
}
