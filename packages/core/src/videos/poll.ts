import { GatewayError } from '../foundation/errors.ts';
import type { Platform } from '../foundation/platform.ts';
import type { VideoContent, VideoFetch } from '../providers/video-contract.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import type { VideoPoll } from '../wire/videos.ts';
import { addPolls, NO_POLLS, type Polls, videoOf, type VideoProviders } from './video-job.ts';

/** Limit to upstream's first byte, and between two pieces. */
const FETCH_TIMEOUT_MS = 60_000;
/** Accepted content types: an error page has another one, and an SVG is a page that runs scripts. */
const FILM_TYPE =
  /^(?:(?:video|audio)\/[\w.+-]+|image\/(?:a?png|p?jpe?g|jxl|gif|webp|avif|heic|heif|bmp|tiff)|application\/(?:octet-stream|mp4)|binary\/octet-stream)$/;

/**
 * Opens a completed job's video, whose type is one of films or pictures, without parameters; 416 has neither type nor
 * body. Throws `gone` when upstream has deleted it, else `provider_unavailable`.
 */
export async function openUpstreamVideo(
  job: VideoJob,
  { index, ...request }: Pick<VideoFetch, 'index' | 'headers' | 'signal'>,
  providers: VideoProviders,
): Promise<VideoContent> {
  const video = await videoOf(job, providers);
  if (video === undefined && job.ownKeyId !== undefined) {
    throw new GatewayError('provider_unavailable', `The key ${job.providerKey} that made the video cannot be used now`);
  }
  const output = job.outputs[index];
  if (video === undefined || job.upstream === null || output === undefined) {
    throw new GatewayError('gone', `The video is stored at ${job.providerName}, which is no longer configured`);
  }
  const call = { ...request, job: job.upstream, index, output, timeoutMs: FETCH_TIMEOUT_MS };
  const content = await video.fetch(call).catch((error: unknown) => refuse(error, job));
  const { status, headers } = content;
  const type = headers['content-length'] === '0' ? null : toFilmType(headers['content-type'] ?? 'video/mp4');
  if (status !== 416 && type !== null) return { ...content, headers: { ...headers, 'content-type': type } };
  await content.body[Symbol.asyncIterator]().return?.();
  if (status === 416 && request.headers['range'] !== undefined)
    return { status, headers: toUnsatisfied(headers), body: NO_BODY };
  throw new GatewayError('provider_unavailable', `${job.providerName} delivered something other than the video`);
}

/** The type without its parameters, behind which another may stand; null for what is no film. */
export function toFilmType(contentType: string): string | null {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return FILM_TYPE.test(type) ? type : null;
}

const NO_BODY: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => NO_MORE }) };
const NO_MORE = Promise.resolve({ done: true, value: undefined } as const);

/** As an archived video has them; of upstream, only how long the video is. */
function toUnsatisfied(headers: VideoContent['headers']): Record<string, string> {
  const range = headers['content-range'] ?? '';
  return {
    'content-type': 'video/mp4',
    'content-length': '0',
    ...(/^bytes \*\/\d+$/.test(range) && { 'content-range': range }),
  };
}

/** Upstreams store a video for a limited time only. */
function refuse(error: unknown, job: VideoJob): never {
  if (error instanceof GatewayError && error.code === 'not_found') {
    throw new GatewayError('gone', `${job.providerName} no longer has this video`, { cause: error });
  }
  throw new GatewayError('provider_unavailable', `${job.providerName} did not deliver the video`, { cause: error });
}

interface PollTime {
  /** Milliseconds since the job was submitted. */
  readonly ageMs: number;
  /** How long jobs of this model usually take; null when not known yet. */
  readonly usualMs: number | null;
  /** The wait that upstream requires. */
  readonly retryAfterMs?: number | undefined;
  /** Polls that failed since the last that did not. */
  readonly failures: number;
}

const MIN_MS = 500;
const MAX_MS = 30_000;
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const UNKNOWN_USUAL_MS = 60_000;

/**
 * The wait before the next poll of a job. A wait that upstream requires takes precedence. Otherwise it is a tenth of the
 * distance to the expected end, so that polls are rare at first, frequent around the expected end, and rare again for an
 * overdue job; failures double it. Up to a fifth is added by `random` (0 to 1), so that jobs that were submitted together
 * are not polled together.
 */
export function nextPollDelayMs({ ageMs, usualMs, retryAfterMs, failures }: PollTime, random: number): number {
  const toGoMs = Math.abs((usualMs ?? UNKNOWN_USUAL_MS) - ageMs);
  const planned = Math.min(Math.max(toGoMs / 10, 2000) * 2 ** Math.min(failures, 5), MAX_MS);
  const asked = retryAfterMs === undefined ? planned : Math.min(Math.max(retryAfterMs, MIN_MS), MAX_RETRY_AFTER_MS);
  return Math.round(asked * (1 + random / 5));
}

/** A running mean that follows change: each job counts a fifth. */
export const learnUsualMs = (usualMs: number | null, tookMs: number): number =>
  usualMs === null ? tookMs : usualMs + (tookMs - usualMs) / 5;

/** The ages of jobs, which a wall clock that is set while this process runs does not change. */
interface JobAges {
  /** Milliseconds since the job was ordered, at most its whole time. */
  ageMs(job: VideoJob): number;
  /** Milliseconds to its deadline; 0 from then on. */
  remainingMs(job: VideoJob): number;
  forget(job: VideoJob): void;
}

/** Reads the wall clock once for each job, when it is first asked for, because stored times are of that clock. */
export function createJobAges(platform: Pick<Platform, 'now' | 'monotonicNow'>): JobAges {
  /** Times on the monotonic clock, which may lie before the start of the process. */
  const orderedAt = new Map<string, number>();
  const wholeMs = ({ createdAt, deadlineAt }: VideoJob): number => deadlineAt - createdAt;
  const ageMs = (job: VideoJob): number => {
    const now = platform.monotonicNow();
    let at = orderedAt.get(job.id);
    if (at === undefined) {
      // After the clock was set back, the order may lie in the future: it counts as new then.
      at = now - Math.max(platform.now() - job.createdAt, 0);
      orderedAt.set(job.id, at);
    }
    return Math.min(now - at, wholeMs(job));
  };
  return {
    ageMs,
    remainingMs: (job) => wholeMs(job) - ageMs(job),
    forget: ({ id }) => void orderedAt.delete(id),
  };
}

/**
 * Polls that are not stored yet: they are written with the next change of their job, because a write for each would cost
 * more than it tells.
 */
interface PollNotes {
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
