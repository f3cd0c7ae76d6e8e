import type { Catalog } from '../catalog/catalog.ts';
import type { Recorder } from '../dispatch/recorder.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { VideoOrder, VideoProgress, VideoProvider } from '../providers/video-contract.ts';
import { createDueQueue } from '../stores/due-queue.ts';
import type { Store } from '../stores/store.ts';
import { hasEnded, laterStatus, type VideoJob, type VideoLease, timelineOf } from '../stores/video-jobs.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';
import type { MediaInput } from '../wire/generation.ts';
import type { VideoPoll } from '../wire/videos.ts';
import { type Ended, endOf, endVideoJob, settleLostVideo } from './end-video.ts';
import { createJobAges, createPollNotes, learnUsualMs, nextPollDelayMs } from './poll.ts';
import { createVideoArchiver, type VideoArchive } from './video-archive.ts';
import type { VideoChanges } from './video-changes.ts';
import {
  createHeldInputs,
  endpointOf,
  listWorkingJobs,
  type Polls,
  videoOf,
  type VideoProviders,
  withAccepted,
  withoutData,
  withPolls,
  withStatus,
} from './video-job.ts';
import { createOwnedJobs, isOwned, leaseUntil } from './video-lease.ts';
import { createVideoOutbox } from './video-outbox.ts';

interface VideoRunnerOptions {
  readonly store: Pick<Store, 'generations' | 'videoJobs'>;
  /** Lets go of what is held for a job when it ends. */
  readonly ledger: Pick<Ledger, 'release' | 'handOver' | 'untilCounted'>;
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
  /** The longest inputs of a job that are. */
  readonly maxContentBytes: number;
  /** Distinguishes this process from others at the same store; null where there are none. */
  readonly ownerId: (() => string) | null;
}

/** The providers and models of now: jobs outlive the setup that they were ordered under. */
export interface VideoSetup extends VideoProviders {
  readonly catalog: Catalog;
}

/** Looks after all jobs that have not ended, been announced or been fetched yet. */
export interface VideoRunner {
  /** Takes up what the store holds. Resolves when it has been read. */
  start(): Promise<void>;
  /**
   * Leaves a job alone that is about to be submitted, until it is released. A lease for at least this time is to be
   * written with it.
   */
  hold(id: string): { leaseFor(ms: number): VideoLease | undefined; release(): void };
  /** Takes up a job that has just been submitted, or was held. */
  add(job: VideoJob, firstPollMs: number | undefined): void;
  /** Takes up a job of which the store cannot tell at present whether it has it; lets go of what is held if it has not. */
  findOut(draft: Pick<VideoJob, 'id' | 'generationId'>): void;
  /**
   * Does what is due for a job, where requests share no timers and nothing else does it; resolves with the job as it is
   * then. Elsewhere returns it as it is.
   */
  lookAt(job: VideoJob): Promise<VideoJob>;
  /** Schedules a job whose webhook is to be sent again. */
  announce(job: VideoJob): void;
  /** Takes what goes in with the prompt of a job that has just been submitted, to be shown and stored with it. */
  holdInputs(job: Pick<VideoJob, 'id' | 'region'>, order: VideoOrder): void;
  /** What went in with the prompt of an open job. */
  inputsOf(job: VideoJob): MediaInput[];
  /** Polls of a job that are not stored yet. */
  pollsOf(jobId: string): Polls;
  /** Stops polling; work under way continues, and the store has the rest. */
  stop(): void;
  /** Leaves the jobs to other processes, after `stop`. */
  leave(): Promise<void>;
}

/** At most 50 polls a second, however many jobs a restart finds open. */
const SPACING_MS = 20;
const POLL_TIMEOUT_MS = 30_000;
/** Where processes share a store: how often each looks for jobs that none of them owns. */
const SCAN_EVERY_MS = 10_000;
/** Jobs that one scan takes up, spread evenly until the next. */
const MAX_SCANNED = 1000;
const MAX_LEFT = 500;
/** Jobs found at start are polled within this time, spread evenly. */
const START_SPREAD_MS = 2000;

/** Creates the runner: one timer for all jobs, one step of one job at a time. */
export function createVideoRunner(options: VideoRunnerOptions): VideoRunner {
  const { platform, logger, ownerId } = options;
  const runner: RunnerState = createRunnerState(options, (id) => void run(id, runner));
  return {
    async start() {
      if (ownerId === null || platform.isPerRequest === true) return takeUpAll(START_SPREAD_MS, runner);
      await scan(START_SPREAD_MS, runner);
    },
    hold(id) {
      runner.held.add(id);
      return {
        leaseFor: (ms) =>
          ownerId === null ? undefined : { ownerId: ownerId(), token: 1, untilMs: leaseUntil(platform.now(), ms) },
        release: () => void runner.held.delete(id),
      };
    },
    add(job, firstPollMs) {
      schedulePoll(job, firstPollMs, runner).catch((error: unknown) =>
        logger.warn('a video job could not be claimed', { job: job.id, reason: String(error) }),
      );
    },
    findOut({ id, generationId }) {
      runner.unsure.set(id, generationId);
      runner.queue.schedule(id, START_SPREAD_MS);
    },
    lookAt: async (job) => (platform.isPerRequest === true ? stepWithin(job, runner) : job),
    announce: (job) => runner.outbox?.renew(job),
    holdInputs({ id, region }, order) {
      if (options.storesContent && region === undefined) runner.inputs.hold(id, order);
    },
    inputsOf: ({ id, order }) => runner.inputs.of(id, order),
    pollsOf: runner.polls.of,
    stop() {
      runner.isStopped = true;
      runner.cancelScan();
      runner.queue.stop();
      runner.outbox?.stop();
      runner.archiver?.stop();
    },
    async leave() {
      const left = [...runner.owned.values()].slice(0, MAX_LEFT);
      await Promise.allSettled(left.map((job) => runner.jobs.release(job)));
    },
  };
}

type RunnerState = ReturnType<typeof createRunnerState>;

/** What the runner works with, and what it remembers. */
function createRunnerState(options: VideoRunnerOptions, onDue: (id: string) => void) {
  const { store, platform, webhooks, archive, ownerId } = options;
  const jobs = createOwnedJobs(store.videoJobs, platform, ownerId);
  return {
    ...options,
    jobs,
    queue: createDueQueue({ platform, spacingMs: SPACING_MS, run: onDue }),
    outbox: webhooks && createVideoOutbox({ ...options, jobs, webhooks }),
    archiver: archive && createVideoArchiver({ ...options, jobs, archive }),
    /** Failed polls of each job since the last that succeeded. */
    failures: new Map<string, number>(),
    ages: createJobAges(platform),
    polls: createPollNotes(),
    inputs: createHeldInputs(options.maxContentBytes),
    /** How long the jobs of each model usually take. */
    usualMs: new Map<string, number>(),
    held: new Set<string>(),
    /** Generations of jobs that the store may not have, by their jobs. */
    unsure: new Map<string, string>(),
    /** Jobs of this process among those that share the store. */
    owned: new Map<string, VideoJob>(),
    /** Jobs in the middle of a step, with the times on the monotonic clock when it began. */
    stepping: new Map<string, number>(),
    cancelScan: (): void => undefined,
    isStopped: false,
  };
}

async function takeUpAll(spreadMs: number, runner: RunnerState): Promise<void> {
  const { store, ledger, platform, ownerId, queue, held, stepping, random } = runner;
  const isFree = (job: VideoJob): boolean => ownerId === null || !isOwned(job, platform.now());
  const query = { freeAtMs: ownerId === null ? undefined : platform.now(), limit: MAX_SCANNED };
  const all = await listWorkingJobs(store.videoJobs, query);
  for (const job of all.filter(hasEnded)) {
    // Another process may have ended what this one holds money for.
    ledger.release(job.generationId);
    if (isFree(job)) takeUp(job, runner);
  }
  const isNew = ({ id }: VideoJob): boolean => !held.has(id) && !stepping.has(id) && !queue.has(id);
  const open = all.filter((job) => !hasEnded(job) && isFree(job) && isNew(job));
  // Processes that find the same jobs begin with different ones.
  const first = ownerId === null ? 0 : Math.floor(random() * open.length);
  [...open.slice(first), ...open.slice(0, first)].forEach(({ id }, index) =>
    queue.schedule(id, (spreadMs * index) / open.length),
  );
}

/** Takes up jobs that no process owns, now and again: those of a process that has died are among them. */
async function scan(spreadMs: number, runner: RunnerState): Promise<void> {
  const { platform, logger, random } = runner;
  try {
    await takeUpAll(spreadMs, runner);
  } catch (error) {
    logger.error('video jobs could not be listed', { reason: String(error) });
  }
  if (runner.isStopped) return;
  const waitMs = SCAN_EVERY_MS * (0.9 + random() / 5);
  runner.cancelScan = platform.setTimer(() => void scan(SCAN_EVERY_MS / 2, runner), waitMs);
}

/** Leaves a step to the request that has begun it, unless that must have ended meanwhile. */
async function stepWithin(job: VideoJob, runner: RunnerState): Promise<VideoJob> {
  const { store, queue, held, stepping, platform } = runner;
  const begunAt = stepping.get(job.id);
  const isBusy = begunAt !== undefined && platform.monotonicNow() - begunAt < 2 * POLL_TIMEOUT_MS;
  if (hasEnded(job) || held.has(job.id) || isBusy || queue.waits(job.id)) return job;
  await run(job.id, runner);
  return (await store.videoJobs.get(job.id)) ?? job;
}

function run(id: string, runner: RunnerState): Promise<void> {
  const { queue, stepping, logger, platform } = runner;
  stepping.set(id, platform.monotonicNow());
  return step(id, runner)
    .catch((error: unknown) => {
      logger.error('a video job could not be followed', { job: id, reason: String(error) });
      queue.schedule(id, START_SPREAD_MS);
    })
    .finally(() => void stepping.delete(id));
}

/** Does the next step for a job, and schedules the one after it. */
async function step(id: string, runner: RunnerState): Promise<void> {
  const { jobs, queue, ages, failures, polls, changes, ledger, owned, unsure, ownerId } = runner;
  const job = await jobs.take(id);
  const generationId = unsure.get(id);
  unsure.delete(id);
  if (job === undefined) {
    if (generationId !== undefined) ledger.release(generationId);
    return;
  }
  if (generationId !== undefined) ledger.handOver(generationId);
  if ('againMs' in job) {
    // What is held here for a job that another process has taken over is let go of at its end.
    if (owned.has(id)) queue.schedule(id, job.againMs);
    return;
  }
  if (hasEnded(job)) {
    owned.delete(id);
    ledger.release(job.generationId);
    return ages.forget(job);
  }
  if (ownerId !== null) owned.set(id, job);
  if (ages.remainingMs(job) === 0) {
    return end(job, { status: 'expired', error: 'The video was not made in time' }, runner);
  }
  const video = await videoOf(job, runner.current()).catch((error: unknown) => {
    if (error instanceof GatewayError && error.code === 'gone') return error;
    throw error;
  });
  if (video instanceof GatewayError) return end(job, { status: 'failed', error: video.message }, runner);
  if (job.submission === 'sending') return settle(job, video, runner);
  const progress = await poll(job, video, runner);
  if (progress === undefined) return schedulePoll(job, undefined, runner);
  failures.delete(id);
  const ended = endOf(progress);
  if (ended !== undefined) return end(job, ended, runner);
  if (progress.status !== 'unknown' && laterStatus(job.status, progress.status) !== job.status) {
    const status = laterStatus(job.status, progress.status);
    const seen = polls.take(id);
    const atMs = ages.ageMs(job);
    const changed = await jobs.update(job, (latest) =>
      hasEnded(latest)
        ? latest
        : { ...latest, status, timeline: withStatus(withPolls(timelineOf(latest), seen), status, atMs) },
    );
    if (changed !== undefined) changes.emit(changed);
  }
  await schedulePoll(job, progress.retryAfterMs, runner);
}

async function settle(job: VideoJob, video: VideoProvider | undefined, runner: RunnerState): Promise<void> {
  const { store, jobs, queue, ages, platform } = runner;
  const found = await settleLostVideo(job, { jobs: store.videoJobs, ageMs: () => ages.ageMs(job), video });
  switch (found.type) {
    case 'again':
      return queue.schedule(job.id, found.delayMs);
    case 'failed':
      return end(job, { status: 'failed', error: found.error }, runner);
    case 'sent': {
      const upstream = { upstreamId: found.upstreamId, providerModel: job.providerModel };
      const order = withoutData(job.order, runner.storesContent && job.region === undefined);
      const sent = await jobs.update(job, (latest) => ({
        ...latest,
        submission: 'sent',
        upstream,
        order,
        timeline: withAccepted(timelineOf(latest), latest, platform.now()),
      }));
      await schedulePoll(sent ?? job, found.retryAfterMs, runner);
    }
  }
}

/** Polls a job; undefined when the poll itself failed, which is no result for the job. */
async function poll(
  job: VideoJob,
  video: VideoProvider | undefined,
  { failures, polls, ages, platform, logger }: RunnerState,
): Promise<VideoProgress | undefined> {
  if (video === undefined || job.upstream === null) return undefined;
  const atMs = Math.round(ages.ageMs(job));
  const startedAt = platform.monotonicNow();
  const note = (seen: Pick<VideoPoll, 'has_failed' | 'status'>): void =>
    polls.add(job.id, { at_ms: atMs, took_ms: Math.round(platform.monotonicNow() - startedAt), ...seen });
  try {
    const { signal } = new AbortController();
    const progress = await video.poll({ job: job.upstream, signal, timeoutMs: POLL_TIMEOUT_MS });
    note(progress.status === 'unknown' ? {} : { status: progress.status });
    return progress;
  } catch (error) {
    note({ has_failed: true });
    failures.set(job.id, (failures.get(job.id) ?? 0) + 1);
    logger.warn('a video job could not be checked', { job: job.id, reason: String(error) });
    return undefined;
  }
}

async function schedulePoll(job: VideoJob, retryAfterMs: number | undefined, runner: RunnerState): Promise<void> {
  const { jobs, queue, ages, random, ownerId, platform } = runner;
  const ageMs = ages.ageMs(job);
  const usualMs = runner.usualMs.get(job.modelId) ?? null;
  const failures = runner.failures.get(job.id) ?? 0;
  const delayMs = nextPollDelayMs({ ageMs, usualMs, retryAfterMs, failures }, random());
  queue.schedule(job.id, Math.min(delayMs, ages.remainingMs(job)));
  if (ownerId === null) return;
  runner.owned.set(job.id, job);
  // Another owner would poll at once, whatever wait upstream requires.
  const untilMs = leaseUntil(platform.now(), delayMs);
  if ((job.lease?.untilMs ?? 0) < untilMs) await jobs.extend(job, untilMs - platform.now());
}

async function end(job: VideoJob, progress: Ended, runner: RunnerState): Promise<void> {
  const { current, ages, failures, polls, usualMs, changes } = runner;
  failures.delete(job.id);
  const timeline = withStatus(withPolls(timelineOf(job), polls.of(job.id)), progress.status, ages.ageMs(job));
  if (progress.status === 'completed') {
    usualMs.set(job.modelId, learnUsualMs(usualMs.get(job.modelId) ?? null, ages.ageMs(job)));
  }
  ages.forget(job);
  const endpoint = endpointOf(job, current().catalog);
  const storesContent = runner.storesContent && job.region === undefined;
  const keepsContent = runner.archiver !== undefined && job.region === undefined;
  const media = runner.inputs.of(job.id, job.order);
  const context = { ...runner, endpoint, storesContent, media, keepsContent };
  const ended = await endVideoJob({ ...job, timeline }, progress, context);
  polls.take(job.id);
  runner.inputs.drop(job.id);
  runner.owned.delete(job.id);
  if (ended === undefined || !hasEnded(ended)) return;
  changes.emit(ended);
  takeUp(ended, runner);
}

/** Schedules the remaining work for a job that has ended. */
function takeUp(job: VideoJob, { outbox, archiver }: RunnerState): void {
  outbox?.add(job);
  archiver?.add(job);
}
