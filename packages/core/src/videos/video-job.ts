import type { StepTimes } from '../calls/model-call.ts';
import type { Catalog, Endpoint } from '../catalog/catalog.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toUsd } from '../foundation/money.ts';
import { toBefore } from '../generations/ended-call.ts';
import { mountPathOf } from '../http/request.ts';
import type { Provider } from '../providers/provider.ts';
import type { VideoOrder, VideoProvider } from '../providers/video-contract.ts';
import { providerWithKey } from '../routing/key-pools.ts';
import type { VideoJobPage, VideoJobQuery, VideoJobRepository, WorkingJobsQuery } from '../stores/store.ts';
import { announcementOf, chargedNanoUsdOf, type VideoJob } from '../stores/video-jobs.ts';
import type { MediaInput } from '../wire/generation.ts';
import type { RoutingDecision } from '../wire/routing.ts';
import type { VideoJobStatus } from '../wire/statuses.ts';
import type { VideoAnnouncement, VideoTimeline, VideoResponse } from '../wire/videos.ts';

const FIRST_POLLS = 20;
const LAST_POLLS = 40;
const MAX_ANNOUNCEMENTS = 20;

const NO_TIMELINE: VideoTimeline = { attempts_ms: [], polls: [], poll_count: 0, statuses: [], announcements: [] };

/** Milliseconds since a job was ordered. */
export const sinceOrder = ({ createdAt }: Pick<VideoJob, 'createdAt'>, now: number): number =>
  Math.max(0, Math.round(now - createdAt));

export type Polls = Pick<VideoTimeline, 'polls' | 'poll_count'>;

export const NO_POLLS: Polls = { polls: [], poll_count: 0 };

/** Polls in the middle of many are only counted: what is written with every change of a job stays small. */
export function addPolls(known: Polls, added: Polls): Polls {
  const all = [...known.polls, ...added.polls];
  const isLong = all.length > FIRST_POLLS + LAST_POLLS;
  return {
    polls: isLong ? [...all.slice(0, FIRST_POLLS), ...all.slice(-LAST_POLLS)] : all,
    poll_count: known.poll_count + added.poll_count,
  };
}

export function withPolls(timeline: VideoTimeline | undefined, added: Polls): VideoTimeline {
  const known = timeline ?? NO_TIMELINE;
  return added.poll_count === 0 ? known : { ...known, ...addPolls(known, added) };
}

interface Begun {
  readonly stepTimes: StepTimes;
  /** When the job was made, on the monotonic clock. */
  readonly startedAt: number;
  /** Null when there was nothing to decide, or contents are not stored. */
  readonly decision: RoutingDecision | null;
}

export const beginTimeline = ({ stepTimes, startedAt, decision }: Begun): VideoTimeline => ({
  ...NO_TIMELINE,
  before_ms: toBefore(stepTimes, startedAt),
  ...(decision !== null && { decision }),
});

/** A provider is asked now. */
export function withAttempt(
  timeline: VideoTimeline | undefined,
  job: Pick<VideoJob, 'createdAt'>,
  now: number,
): VideoTimeline {
  const known = timeline ?? NO_TIMELINE;
  return { ...known, attempts_ms: [...known.attempts_ms, sinceOrder(job, now)] };
}

/** Upstream has taken the job. */
export const withAccepted = (
  timeline: VideoTimeline | undefined,
  job: Pick<VideoJob, 'createdAt'>,
  now: number,
): VideoTimeline => ({ ...(timeline ?? NO_TIMELINE), accepted_ms: sinceOrder(job, now) });

export function withStatus(timeline: VideoTimeline, status: VideoJobStatus, atMs: number): VideoTimeline {
  return { ...timeline, statuses: [...timeline.statuses, { status, at_ms: Math.round(atMs) }] };
}

export function withAnnouncement(timeline: VideoTimeline | undefined, announcement: VideoAnnouncement): VideoTimeline {
  const known = timeline ?? NO_TIMELINE;
  return { ...known, announcements: [...known.announcements, announcement].slice(-MAX_ANNOUNCEMENTS) };
}

/** What goes in with the prompt of an order. */
export function toInputs({ frameImages, inputReferences }: VideoOrder): MediaInput[] {
  return [
    ...frameImages.map(({ image_url: { url }, frame_type: frame }): MediaInput => ({ type: 'image', frame, url })),
    ...inputReferences.map((reference): MediaInput => {
      switch (reference.type) {
        case 'image_url':
          return { type: 'image', frame: null, url: reference.image_url.url };
        case 'audio_url':
          return { type: 'audio', frame: null, url: reference.audio_url.url };
        case 'video_url':
          return { type: 'video', frame: null, url: reference.video_url.url };
      }
    }),
  ];
}

const isData = (url: string): boolean => /^data:/i.test(url);

/** The inputs of open jobs, whole: a stored job has no more than the beginning of data, as it is written often. */
interface HeldInputs {
  hold(jobId: string, order: VideoOrder): void;
  /** The inputs of a job; without its data if that is no longer in memory, as after a restart. */
  of(jobId: string, order: VideoOrder): MediaInput[];
  drop(jobId: string): void;
}

/** Limit of all jobs together. The oldest are dropped first. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Creates it empty. What is longer than `maxLength` is not held. */
export function createHeldInputs(maxLength: number): HeldInputs {
  const held = new Map<string, { readonly inputs: MediaInput[]; readonly length: number }>();
  let length = 0;
  const drop = (jobId: string): void => {
    length -= held.get(jobId)?.length ?? 0;
    held.delete(jobId);
  };
  return {
    hold(jobId, order) {
      const inputs = toInputs(order);
      const added = inputs.reduce((sum, { url }) => sum + url.length, 0);
      if (added === 0 || added > maxLength) return;
      held.set(jobId, { inputs, length: added });
      length += added;
      for (const oldest of held.keys()) {
        if (length <= MAX_CHARACTERS) break;
        drop(oldest);
      }
    },
    of: (jobId, order) => held.get(jobId)?.inputs ?? toInputs(order).filter(({ url }) => !isData(url)),
    drop,
  };
}

/** A job as callers see it. `baseUrl` is where the gateway is mounted, as callers see it; empty at the root. */
export function toVideoResponse(job: VideoJob, baseUrl: string): VideoResponse {
  return {
    id: job.id,
    polling_url: `${mountPathOf({ baseUrl })}/api/v1/videos/${job.id}`,
    status: job.status,
    ...toResult(job, `${baseUrl}/api/v1/videos/${job.id}`),
  };
}

/** The result of a job that has ended; no fields before that, because clients treat null as a broken response. */
export function toResult(
  job: VideoJob,
  url: string,
): Pick<VideoResponse, 'generation_id' | 'error' | 'unsigned_urls' | 'usage'> {
  const chargedNanoUsd = chargedNanoUsdOf(job);
  switch (job.status) {
    case 'pending':
    case 'in_progress':
      return {};
    case 'completed':
      return {
        generation_id: job.generationId,
        unsigned_urls: job.outputs.map((_, index) => `${url}/content?index=${index}`),
        usage: { cost: chargedNanoUsd === null ? null : toUsd(chargedNanoUsd), is_byok: job.isByok },
      };
    case 'failed':
    case 'cancelled':
    case 'expired':
      return { generation_id: job.generationId, error: job.error ?? 'The video could not be made' };
  }
}

const SHOWN_LENGTH = 40;

/**
 * The form of an order that is stored once upstream has it: without its images, which would be written again with every
 * change of the job, and without its prompt where prompts are not to be stored.
 */
export function withoutData(order: VideoOrder, storesContent: boolean): VideoOrder {
  return {
    ...order,
    ...(!storesContent && { prompt: undefined }),
    frameImages: order.frameImages.map((frame) => ({ ...frame, image_url: cut(frame.image_url) })),
    inputReferences: order.inputReferences.map((reference) => {
      switch (reference.type) {
        case 'image_url':
          return { ...reference, image_url: cut(reference.image_url) };
        case 'audio_url':
          return { ...reference, audio_url: cut(reference.audio_url) };
        case 'video_url':
          return { ...reference, video_url: cut(reference.video_url) };
      }
    }),
  };
}

const cut = ({ url }: { readonly url: string }): { url: string } =>
  /^data:/i.test(url) ? { url: `${url.slice(0, SHOWN_LENGTH)}…` } : { url };

/** The last that were ordered of those that a query chooses. Where a store is not asked for a page, of all that it lists. */
export async function pageVideoJobs(jobs: VideoJobRepository, query: VideoJobQuery): Promise<VideoJobPage> {
  if (jobs.page !== undefined) return jobs.page(query);
  const chosen = (await jobs.list())
    .filter((job) => isChosen(job, query))
    .toReversed()
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return { jobs: chosen.slice(0, query.limit), totalCount: chosen.length };
}

function isChosen(job: VideoJob, { status, announcement }: VideoJobQuery): boolean {
  if (status !== undefined && job.status !== status) return false;
  const state = announcementOf(job);
  return announcement === undefined || (announcement === 'any' ? state !== undefined : state === announcement);
}

/** Where the providers of jobs are found: those of the setup, and those with stored keys of workspaces. */
export interface VideoProviders {
  readonly providers: readonly Provider[];
  readonly callers: {
    readonly ownKeys: { providerOf(id: string): Promise<Provider | null | undefined> };
  };
}

/**
 * Returns the video part of a job's provider, with the key that made the job; undefined when that is no longer
 * configured, or the key cannot be used. A job under way needs nothing else: its model may have been removed from the
 * configuration, or not have been discovered yet. Throws `gone` where its own key was deleted: no other key knows it.
 */
export async function videoOf(
  { providerSlug, providerName, providerKey, ownKeyId }: VideoJob,
  { providers, callers: { ownKeys } }: VideoProviders,
): Promise<VideoProvider | undefined> {
  if (ownKeyId !== undefined) {
    const keyed = await ownKeys.providerOf(ownKeyId);
    if (keyed !== undefined) return keyed?.video;
    throw new GatewayError('gone', `The key ${providerKey} of ${providerName}, which made the video, was deleted`);
  }
  const provider = providers.find(({ slug }) => slug === providerSlug);
  return provider && providerWithKey(provider, providerKey).video;
}

/** Jobs with work left, oldest first. Where a store is not asked that narrowly, all that it lists. */
export function listWorkingJobs(jobs: VideoJobRepository, query: WorkingJobsQuery): Awaitable<readonly VideoJob[]> {
  return jobs.listWorking === undefined ? jobs.list() : jobs.listWorking(query);
}

/** The endpoint that a job was submitted to; undefined when it has gone from the configuration. */
export function endpointOf(job: VideoJob, catalog: Catalog): Endpoint | undefined {
  const endpoints = catalog.find(job.modelId)?.endpoints ?? [];
  return endpoints.find((endpoint) => endpoint.tag === job.endpointTag);
}
