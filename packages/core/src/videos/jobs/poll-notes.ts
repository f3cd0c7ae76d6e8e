import type { VideoPoll } from '../../wire/videos.ts';
import { addPolls, NO_POLLS, type Polls } from './video-course.ts';

/**
 * Polls that are not stored yet: they are written with the next change of their job, because a write for each would cost
 * more than it tells.
 */
export interface PollNotes {
  add(jobId: string, poll: VideoPoll): void;
  of(jobId: string): Polls;
  /** The polls to be written; they are not held any longer. */
  take(jobId: string): Polls;
}

export function createPollNotes(): PollNotes {
  const held = new Map<string, Polls>();
  const of = (jobId: string): Polls => held.get(jobId) ?? NO_POLLS;
  return {
    add: (jobId, poll) => void held.set(jobId, addPolls(of(jobId), { polls: [poll], poll_count: 1 })),
    of,
    take(jobId) {
      const polls = of(jobId);
      held.delete(jobId);
      return polls;
    },
  };
}
