import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Repository } from '../stores/store.ts';
import { hasEnded, type VideoJob } from '../stores/video-jobs.ts';

/** Notifies about every change of a job's status that this process makes, including its start. */
export interface VideoChanges {
  /** Never throws: what a listener does wrong is not the job's concern. */
  emit(job: VideoJob): void;
  /** Calls back with the job after each change; the returned function ends that. */
  subscribe(listener: (job: VideoJob) => void): () => void;
}

export function createVideoChanges(logger: Pick<Logger, 'error'>): VideoChanges {
  const listeners = new Set<(job: VideoJob) => void>();
  return {
    emit(job) {
      for (const listener of listeners) {
        try {
          listener(job);
        } catch (error) {
          logger.error('a listener to video jobs failed', { job: job.id, reason: String(error) });
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface VideoWait {
  readonly jobs: Repository<VideoJob>;
  readonly changes: VideoChanges;
  readonly platform: Pick<Platform, 'setTimer'>;
  readonly signal?: AbortSignal | undefined;
}

/** Another process may end the job without a notification. */
const LOOK_EVERY_MS = 5000;

/** Resolves with a job once it has ended. Throws `not_found`, or the signal's reason. */
export async function waitForVideo(id: string, { jobs, changes, platform, signal }: VideoWait): Promise<VideoJob> {
  for (;;) {
    signal?.throwIfAborted();
    let stopWaiting = (): void => undefined;
    // Listening begins before looking, so that no change falls in between.
    const changed = new Promise<void>((resolve) => {
      const unsubscribe = changes.subscribe((job) => job.id === id && resolve());
      const cancelTimer = platform.setTimer(resolve, LOOK_EVERY_MS);
      const onAbort = (): void => resolve();
      signal?.addEventListener('abort', onAbort, { once: true });
      stopWaiting = () => {
        unsubscribe();
        cancelTimer();
        signal?.removeEventListener('abort', onAbort);
      };
    });
    try {
      const job = await jobs.get(id);
      if (job === undefined) throw new GatewayError('not_found', `There is no video job ${id.slice(0, 100)}`);
      if (hasEnded(job)) return job;
      await changed;
    } finally {
      stopWaiting();
    }
  }
}
