import type { VideoJob } from './video-job.ts';

/** Tells of every change of a job's status that this process makes. */
export interface VideoChanges {
  emit(job: VideoJob): void;
  /** Calls back with the job as it is after each change; the returned function ends that. */
  subscribe(listener: (job: VideoJob) => void): () => void;
}

export function createVideoChanges(): VideoChanges {
  const listeners = new Set<(job: VideoJob) => void>();
  return {
    emit(job) {
      for (const listener of listeners) listener(job);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
