import type { Logger } from '../../foundation/logger.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { Provider } from '../../providers/provider.ts';
import type { VideoProgress } from '../../providers/video-contract.ts';
import type { Ledger } from '../../budgets/ledger.ts';
import type { Recorder } from '../../dispatch/recorder.ts';
import type { Store } from '../../stores/store.ts';
import type { WebhookOptions } from '../../webhooks/webhook-options.ts';
import { createDueQueue } from '../../jobs/due-queue.ts';
import { type Ended, endOf, endVideoJob } from './end-video-job.ts';
import { endpointOf } from '../endpoint-of.ts';
import { createVideoArchiver } from '../archive/archive-videos.ts';
import { learnUsualMs, nextPollDelayMs } from './poll-schedule.ts';
import { settleLostVideo } from './settle-lost-video.ts';
import type { VideoChanges } from './video-changes.ts';
import { hasEnded, laterStatus, type VideoJob, type VideoLease } from '../../stores/video-job.ts';
import type { VideoArchive } from '../archive/video-archive.ts';
import { createOwnedJobs, LEASE_MS, TAKEN_FOR_MS } from './video-lease.ts';
import { createVideoOutbox } from '../webhooks/video-outbox.ts';
import { videoOf } from '../video-of.ts';
import { withoutData } from '../without-data.ts';

export interface VideoRunnerOptions {
  readonly store: Store;
  /** Lets go of what is held for a job when it ends. */
  readonly ledger: Pick<Ledger, 'release'>;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly current: () => VideoSetup;
  readonly platform: Platform;
  readonly logger: Logger;
  /** 0 to 1. */
  readonly random: () => number;
  readonly changes: VideoChanges;
  readonly webhooks: WebhookOptions | undefined;
  /** Undefined: videos are fetched from upstream each time. */
  readonly archive: VideoArchive | undefined;
  /** Whether prompts are stored with the generations. */
  readonly storesContent: boolean;
  /** Distinguishes this process from others at the same store; null where there are none. */
  readonly ownerId: string | null;
}

/** The providers and models of now: jobs outlive the setup that they were ordered under. */
export interface VideoSetup {
  readonly catalog: Catalog;
  readonly providers: readonly Provider[];
}

/** Looks after all jobs that have not ended, been announced or been fetched yet. */
export interface VideoRunner {
  /** Takes up what the store holds. Resolves when it has been read. */
  start(): Promise<void>;
  /** Leaves a job alone that is about to be submitted, until it is released. The lease is to be written with it. */
  hold(id: string): { readonly lease: VideoLease | undefined; release(): void };
  /** Takes up a job that has just been submitted, or was held. */
  add(job: VideoJob, firstPollMs: number | undefined): void;
  /** Schedules a job whose webhook is to be sent again. */
  announce(job: VideoJob): void;
  /** Stops polling; work under way continues, and the store has the rest. */
  stop(): void;
}

/** At most 50 polls a second, however many jobs a restart finds open. */
const SPACING_MS = 20;
const POLL_TIMEOUT_MS = 30_000;
/** Longer than any submission takes. */
const SUBMISSION_LEASE_MS = 5 * 60_000;
/** Jobs found at start are polled within this time, spread evenly. */
const START_SPREAD_MS = 2000;

/** Creates the runner: one timer for all jobs, one step of one job at a time. */
export function createVideoRunner(options: VideoRunnerOptions): VideoRunner {
  const { store, current, platform, ledger, recorder, logger, random, changes, webhooks, archive, ownerId } = options;
  const jobs = createOwnedJobs(store.videoJobs, platform, ownerId);
  const outbox = webhooks && createVideoOutbox({ jobs, platform, logger, random, webhooks });
  const archiver = archive && createVideoArchiver({ jobs, current, platform, logger, archive });
  const failures = new Map<string, number>();
  const usualMs = new Map<string, number>();
  const held = new Set<string>();
  /** Jobs in the middle of a step. */
  const stepping = new Set<string>();
  let cancelScan: (() => void) | undefined;
  let isStopped = false;

  const run = (id: string): void => {
    stepping.add(id);
    step(id)
      .catch((error: unknown) => {
        logger.error('a video job could not be followed', { job: id, reason: String(error) });
        queue.schedule(id, START_SPREAD_MS);
      })
      .finally(() => stepping.delete(id));
  };
  const queue = createDueQueue({ platform, spacingMs: SPACING_MS, run });

  /** Does the next step for a job, and schedules the one after it. */
  const step = async (id: string): Promise<void> => {
    const job = await jobs.take(id);
    if (job === undefined) return;
    if ('againMs' in job) return queue.schedule(id, job.againMs);
    if (hasEnded(job)) return;
    if (platform.now() >= job.deadlineAt) {
      return end(job, { status: 'expired', error: 'The video was not made in time' });
    }
    if (job.submission === 'sending') return settle(job);
    const progress = await look(job);
    if (progress === undefined) return schedulePoll(job, undefined);
    failures.delete(id);
    const ended = endOf(progress);
    if (ended !== undefined) return end(job, ended);
    if (progress.status !== 'unknown' && laterStatus(job.status, progress.status) !== job.status) {
      const status = laterStatus(job.status, progress.status);
      const changed = await jobs.update(job, (latest) => (hasEnded(latest) ? latest : { ...latest, status }));
      if (changed !== undefined) changes.emit(changed);
    }
    await schedulePoll(job, progress.retryAfterMs);
  };

  const settle = async (job: VideoJob): Promise<void> => {
    const video = videoOf(job, current().providers);
    const found = await settleLostVideo(job, { jobs: store.videoJobs, platform, video });
    switch (found.type) {
      case 'again':
        return queue.schedule(job.id, found.delayMs);
      case 'failed':
        return end(job, { status: 'failed', error: found.error });
      case 'sent': {
        const upstream = { upstreamId: found.upstreamId, providerModel: job.providerModel };
        const order = withoutData(job.order, options.storesContent && job.region === undefined);
        const sent = await jobs.update(job, (latest) => ({ ...latest, submission: 'sent', upstream, order }));
        await schedulePoll(sent ?? job, found.retryAfterMs);
      }
    }
  };

  const schedulePoll = async (job: VideoJob, retryAfterMs: number | undefined): Promise<void> => {
    const ageMs = platform.now() - job.createdAt;
    const usual = usualMs.get(job.modelId) ?? null;
    const failed = failures.get(job.id) ?? 0;
    const delayMs = nextPollDelayMs({ ageMs, usualMs: usual, retryAfterMs, failures: failed }, random());
    queue.schedule(job.id, Math.min(delayMs, Math.max(job.deadlineAt - platform.now(), 0)));
    // Another owner would poll at once, whatever wait upstream requires.
    if (delayMs > TAKEN_FOR_MS && ownerId !== null) await jobs.extend(job, delayMs + LEASE_MS);
  };

  /** Polls a job; undefined when the poll itself failed, which is no result for the job. */
  const look = async (job: VideoJob): Promise<VideoProgress | undefined> => {
    const video = videoOf(job, current().providers);
    if (video === undefined || job.upstream === null) return undefined;
    try {
      const { signal } = new AbortController();
      return await video.poll({ job: job.upstream, signal, timeoutMs: POLL_TIMEOUT_MS });
    } catch (error) {
      failures.set(job.id, (failures.get(job.id) ?? 0) + 1);
      logger.warn('a video job could not be looked at', { job: job.id, reason: String(error) });
      return undefined;
    }
  };

  const end = async (job: VideoJob, progress: Ended): Promise<void> => {
    failures.delete(job.id);
    if (progress.status === 'completed') {
      usualMs.set(job.modelId, learnUsualMs(usualMs.get(job.modelId) ?? null, platform.now() - job.createdAt));
    }
    const storesContent = options.storesContent && job.region === undefined;
    const endpoint = endpointOf(job, current().catalog);
    const keepsContent = archiver !== undefined && job.region === undefined;
    const ended = await endVideoJob(job, progress, {
      store,
      jobs,
      platform,
      ledger,
      recorder,
      endpoint,
      storesContent,
      keepsContent,
    });
    if (ended === undefined || !hasEnded(ended)) return;
    changes.emit(ended);
    takeUp(ended);
  };

  /** Schedules the remaining work for a job that has ended. */
  const takeUp = (job: VideoJob): void => {
    outbox?.add(job);
    archiver?.add(job);
  };

  const takeUpAll = async (spreadMs: number): Promise<void> => {
    const all = await store.videoJobs.list();
    for (const job of all.filter(hasEnded)) {
      // Another process may have ended what this one holds money for.
      ledger.release(job.generationId);
      takeUp(job);
    }
    const isNew = ({ id }: VideoJob): boolean => !held.has(id) && !stepping.has(id) && !queue.has(id);
    const open = all.filter((job) => !hasEnded(job) && isNew(job));
    open.forEach(({ id }, index) => queue.schedule(id, (spreadMs * index) / open.length));
  };

  /** Where processes share the store, jobs of other processes are taken over after their leases expire. */
  const scanLater = (): void => {
    cancelScan = platform.setTimer(() => {
      takeUpAll(LEASE_MS / 2)
        .catch((error: unknown) => logger.error('video jobs could not be listed', { reason: String(error) }))
        .finally(() => {
          if (!isStopped) scanLater();
        });
    }, LEASE_MS / 2);
  };

  return {
    async start() {
      await takeUpAll(START_SPREAD_MS);
      if (ownerId !== null) scanLater();
    },
    hold(id) {
      held.add(id);
      const untilMs = platform.now() + SUBMISSION_LEASE_MS;
      return {
        lease: ownerId === null ? undefined : { ownerId, token: 1, untilMs },
        release: () => void held.delete(id),
      };
    },
    add(job, firstPollMs) {
      schedulePoll(job, firstPollMs).catch((error: unknown) =>
        logger.warn('a video job could not be held on to', { job: job.id, reason: String(error) }),
      );
    },
    announce: (job) => outbox?.renew(job),
    stop() {
      isStopped = true;
      cancelScan?.();
      queue.stop();
      outbox?.stop();
      archiver?.stop();
    },
  };
}
