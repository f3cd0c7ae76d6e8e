import { GatewayError } from '../../foundation/errors.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Repository } from '../../stores/store.ts';
import { hasEnded, type VideoJob } from '../../stores/video-jobs.ts';
import type { VideoChanges } from './video-changes.ts';

export interface VideoWait {
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
