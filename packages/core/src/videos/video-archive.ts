import { createClosing } from '../dispatch/open-calls.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { GatewayResponse } from '../http/response.ts';
import { createDueQueue } from '../stores/due-queue.ts';
import type { VideoJob } from '../stores/video-jobs.ts';
import { openUpstreamVideo, toFilmType } from './poll.ts';
import type { VideoProviders } from './video-job.ts';
import type { OwnedJobs } from './video-lease.ts';

/** A complete video in the archive. */
export interface ArchivedVideo {
  readonly contentType: string;
  readonly bytes: number;
  /** Yields the bytes from `start` up to and without `end`. Leaving early closes it. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** A video on its way in. */
export interface IncomingVideo {
  readonly contentType: string;
  /** Undefined where upstream does not report it. */
  readonly bytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Stores finished videos beyond the time that upstream stores them. */
export interface VideoArchive {
  /** Undefined when it is not stored, or not complete yet. */
  find(name: string): Promise<ArchivedVideo | undefined>;
  /**
   * Stores a video; older ones may be removed for it. Resolves when it would survive a crash of this process: false
   * when it is larger than the whole archive. Rejects, with nothing stored, when the body breaks off or the disk fails.
   */
  save(name: string, video: IncomingVideo): Promise<boolean>;
}

/** The name of one of a job's videos. */
export const toArchiveName = (jobId: string, index: number): string => `${jobId}-${index}`;

interface VideoArchiverOptions {
  readonly jobs: OwnedJobs;
  readonly current: () => VideoProviders;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly archive: VideoArchive;
}

/** Fetches the videos of finished jobs once, before upstream deletes them. */
interface VideoArchiver {
  add(job: VideoJob): void;
  /** Aborts work under way; the next start resumes it. */
  stop(): void;
}

const MAX_AT_ONCE = 2;
/** Upstreams delete videos within about an hour. */
const WAITS_MS = [5000, 30_000, 120_000, 600_000, 1_200_000];

export function createVideoArchiver({ jobs, current, platform, logger, archive }: VideoArchiverOptions): VideoArchiver {
  const waiting: string[] = [];
  const failures = new Map<string, number>();
  /** Under way, or waiting for others. */
  const busy = new Set<string>();
  const stopping = createClosing(platform);
  let active = 0;

  const run = (id: string): void => {
    if (busy.has(id)) return;
    busy.add(id);
    begin(id);
  };
  const begin = (id: string): void => {
    if (active >= MAX_AT_ONCE) return void waiting.push(id);
    active += 1;
    keep(id)
      .catch((error: unknown) => {
        if (!stopping.hasBegun()) {
          logger.warn('a video could not be processed', { job: id, reason: String(error) });
        }
      })
      .finally(() => {
        active -= 1;
        busy.delete(id);
        const next = waiting.shift();
        if (next !== undefined && !stopping.hasBegun()) begin(next);
      });
  };
  const queue = createDueQueue({ platform, spacingMs: 0, run });

  const keep = async (id: string): Promise<void> => {
    const job = await jobs.take(id);
    if (job === undefined) return;
    if ('againMs' in job) return queue.schedule(id, job.againMs);
    try {
      let areAllArchived = true;
      for (const index of job.outputs.keys()) areAllArchived = (await archiveOne(job, index)) && areAllArchived;
      failures.delete(id);
      await jobs.update(job, (latest) => ({ ...latest, content: areAllArchived ? 'kept' : 'upstream' }));
    } catch (error) {
      if (stopping.hasBegun()) return;
      const failed = failures.get(id) ?? 0;
      const waitMs = isGone(error) ? undefined : WAITS_MS[failed];
      logger.warn('a video could not be fetched', { job: id, reason: String(error), isLast: waitMs === undefined });
      if (waitMs === undefined) {
        failures.delete(id);
        await jobs.update(job, (latest) => ({ ...latest, content: 'upstream' }));
        return;
      }
      failures.set(id, failed + 1);
      queue.schedule(id, waitMs);
    }
  };

  const archiveOne = async (job: VideoJob, index: number): Promise<boolean> => {
    const name = toArchiveName(job.id, index);
    if ((await archive.find(name)) !== undefined) return true;
    const request = { index, headers: {}, signal: stopping.signal() };
    const { headers, body } = await openUpstreamVideo(job, request, current());
    // The length of a compressed body differs from the length of the stored video.
    const length = headers['content-encoding'] === undefined ? headers['content-length'] : undefined;
    return archive.save(name, {
      contentType: headers['content-type'] ?? 'video/mp4',
      bytes: length === undefined ? undefined : Number(length),
      body,
    });
  };

  return {
    add({ id, content }) {
      if (content === 'due' && !busy.has(id) && !queue.has(id)) queue.schedule(id, 0);
    },
    stop() {
      queue.stop();
      stopping.begin(new Error('the gateway is closing'));
    },
  };
}

const isGone = (error: unknown): boolean => error instanceof GatewayError && error.code === 'gone';

/** The response with an archived video: whole, or the one requested range (RFC 9110, 14). */
export function toArchivedResponse(video: ArchivedVideo, range: string | undefined): GatewayResponse {
  const { bytes } = video;
  // An archive of an embedder's own may hold what was let in before.
  const contentType = toFilmType(video.contentType) ?? 'application/octet-stream';
  const headers = { 'content-type': contentType, 'accept-ranges': 'bytes' };
  const part = range === undefined ? undefined : readRange(range, bytes);
  if (part === 'outside') {
    return {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${bytes}`, 'content-length': '0' },
      body: null,
    };
  }
  const { start, end } = part ?? { start: 0, end: bytes };
  const response = {
    headers: { ...headers, 'content-length': String(end - start) },
    body: video.read(start, end),
  };
  if (part === undefined) return { status: 200, ...response };
  return {
    ...response,
    status: 206,
    headers: { ...response.headers, 'content-range': `bytes ${start}-${end - 1}/${bytes}` },
  };
}

/** One range of bytes, its end not included. Undefined for what need not be understood: several, or another unit. */
function readRange(text: string, bytes: number): { start: number; end: number } | 'outside' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return Number(last) === 0 ? 'outside' : { start: Math.max(bytes - Number(last), 0), end: bytes };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) return 'outside';
  return { start: Number(first), end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
