import { GatewayError } from '../../foundation/errors.ts';
import { createClosing, type Logger } from '../../foundation/host.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Provider } from '../../providers/provider.ts';
import { createDueQueue } from '../../stores/due-queue.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import type { OwnedJobs } from '../jobs/video-lease.ts';
import { openUpstreamVideo } from '../open-upstream-video.ts';
import { toArchiveName, type VideoArchive } from './video-archive.ts';

export interface VideoArchiverOptions {
  readonly jobs: OwnedJobs;
  readonly current: () => { readonly providers: readonly Provider[] };
  readonly platform: Platform;
  readonly logger: Logger;
  readonly archive: VideoArchive;
}

/** Fetches the videos of finished jobs once, before upstream deletes them. */
export interface VideoArchiver {
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
          logger.warn('a video could not be looked after', { job: id, reason: String(error) });
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
    const { headers, body } = await openUpstreamVideo(job, request, current().providers);
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
