import type { Logger } from '../../foundation/host.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';

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
