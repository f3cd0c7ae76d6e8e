import type { CostBound } from '../../calls/call-kind.ts';
import type { ModelCall } from '../../calls/model-call.ts';
import type { Endpoint } from '../../catalog/catalog.ts';
import { type Awaitable, whenKnown } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { type Budget, type Payer, spendersOf } from '../../limits/budgets.ts';
import type { Hold, Ledger } from '../../limits/ledger.ts';
import { reserveCall, worstCaseNanoUsd } from '../../limits/reserve-call.ts';
import type { VideoJobRepository } from '../../stores/store.ts';
import { hasEnded, type VideoJob } from '../../stores/video-jobs.ts';
import type { VideoCapabilities, VideoRequest } from '../../wire/videos.ts';
import { listWorkingJobs } from '../jobs/working-jobs.ts';
import { boundOfVideo } from './video-kind.ts';

/** Jobs with work left at the start. */
const MAX_HOLDS = 100_000;

export interface VideoReservation {
  readonly call: ModelCall<VideoRequest>;
  readonly budgets: readonly Budget[];
  readonly endpoints: readonly Endpoint[];
  readonly capabilities: VideoCapabilities;
}

export interface ReservedVideo {
  /** The endpoints at which the job may be made: within a budget only those with a price for it. */
  readonly endpoints: readonly Endpoint[];
  /** The amount held for it, in billionths of a dollar, until its generation is recorded. */
  readonly reservedNanoUsd: number;
}

/**
 * Holds what a job may cost at most. Throws `payment_required` or `permission_denied` when that does not fit into a
 * budget beside what was spent and is held, and `not_found` when there is a budget, but no price.
 */
export async function reserveVideo(
  reservation: VideoReservation,
  ledger: Pick<Ledger, 'reserve'>,
): Promise<ReservedVideo> {
  const { call, budgets } = reservation;
  const bound = boundOf(reservation);
  const endpoints =
    budgets.length === 0
      ? reservation.endpoints
      : reservation.endpoints.filter((endpoint) => worstCaseNanoUsd(endpoint, bound) !== null);
  if (endpoints.length === 0) {
    const message = `model: ${call.request.model} has no price for this video, so no budget can allow for it`;
    throw new GatewayError('not_found', message);
  }
  const { anyNanoUsd } = await reserveCall(call, { budgets, endpoints, bound }, ledger);
  return { endpoints, reservedNanoUsd: anyNanoUsd };
}

/** A request without a duration may get the longest video of the model. */
function boundOf({ call: { request }, capabilities }: VideoReservation): CostBound {
  const durations = capabilities.supported_durations;
  return boundOfVideo(request.duration ?? (durations === undefined ? undefined : Math.max(...durations)));
}

/** The amounts held for the jobs that were open when the process started. */
export function findVideoHolds(jobs: VideoJobRepository): Awaitable<readonly Hold[]> {
  return whenKnown(listWorkingJobs(jobs, { limit: MAX_HOLDS }), toHolds);
}

function toHolds(jobs: readonly VideoJob[]): readonly Hold[] {
  return jobs.flatMap((job) => (hasEnded(job) ? [] : [toHold(job)]));
}

function toHold({ generationId, principalId, userId, workspaceId, isByok, reservedNanoUsd }: VideoJob): Hold {
  const payer: Payer = { principalId, userId: userId ?? null, workspaceId: workspaceId ?? '' };
  return {
    id: generationId,
    spenders: spendersOf(payer),
    creditsNanoUsd: isByok ? null : reservedNanoUsd,
    anyNanoUsd: reservedNanoUsd,
  };
}
