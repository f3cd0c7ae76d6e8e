import type { CallMarks } from '../../calls/model-call.ts';
import { toBefore } from '../../generations/observer.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import type { RoutingDecision } from '../../wire/routing.ts';
import type { VideoAnnouncement, VideoCourse, VideoJobStatus } from '../../wire/videos.ts';

const FIRST_POLLS = 20;
const LAST_POLLS = 40;
const MAX_ANNOUNCEMENTS = 20;

const NO_COURSE: VideoCourse = { attempts_ms: [], polls: [], poll_count: 0, statuses: [], announcements: [] };

/** Milliseconds since a job was ordered. */
export const sinceOrder = ({ createdAt }: Pick<VideoJob, 'createdAt'>, now: number): number =>
  Math.max(0, Math.round(now - createdAt));

export type Polls = Pick<VideoCourse, 'polls' | 'poll_count'>;

export const NO_POLLS: Polls = { polls: [], poll_count: 0 };

/** Those in the middle of many are only counted: what is written with every change of a job stays small. */
export function addPolls(known: Polls, added: Polls): Polls {
  const all = [...known.polls, ...added.polls];
  const isLong = all.length > FIRST_POLLS + LAST_POLLS;
  return {
    polls: isLong ? [...all.slice(0, FIRST_POLLS), ...all.slice(-LAST_POLLS)] : all,
    poll_count: known.poll_count + added.poll_count,
  };
}

export function withPolls(course: VideoCourse | undefined, added: Polls): VideoCourse {
  const known = course ?? NO_COURSE;
  return added.poll_count === 0 ? known : { ...known, ...addPolls(known, added) };
}

interface Begun {
  readonly marks: CallMarks;
  /** When the job was made, on the monotonic clock. */
  readonly startedAt: number;
  /** Null when there was nothing to decide, or contents are not stored. */
  readonly decision: RoutingDecision | null;
}

export const beginCourse = ({ marks, startedAt, decision }: Begun): VideoCourse => ({
  ...NO_COURSE,
  before_ms: toBefore(marks, startedAt),
  ...(decision !== null && { decision }),
});

/** A provider is asked now. */
export function withAttempt(
  course: VideoCourse | undefined,
  job: Pick<VideoJob, 'createdAt'>,
  now: number,
): VideoCourse {
  const known = course ?? NO_COURSE;
  return { ...known, attempts_ms: [...known.attempts_ms, sinceOrder(job, now)] };
}

/** Upstream has taken the job. */
export const withAccepted = (
  course: VideoCourse | undefined,
  job: Pick<VideoJob, 'createdAt'>,
  now: number,
): VideoCourse => ({ ...(course ?? NO_COURSE), accepted_ms: sinceOrder(job, now) });

export function withStatus(course: VideoCourse, status: VideoJobStatus, atMs: number): VideoCourse {
  return { ...course, statuses: [...course.statuses, { status, at_ms: Math.round(atMs) }] };
}

export function withAnnouncement(course: VideoCourse | undefined, announcement: VideoAnnouncement): VideoCourse {
  const known = course ?? NO_COURSE;
  return { ...known, announcements: [...known.announcements, announcement].slice(-MAX_ANNOUNCEMENTS) };
}
