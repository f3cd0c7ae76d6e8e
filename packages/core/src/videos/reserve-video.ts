import type { Policy } from '../guardrails/policy.ts';
import type { Awaitable } from '../foundation/awaitable.ts';
import type { Principal } from '../http/principal.ts';
import { type Caller, spendersOf } from '../budgets/budget.ts';
import { findBudgets, toCaller } from '../budgets/find-budgets.ts';
import type { Hold } from '../budgets/ledger.ts';
import { worstOf } from '../budgets/reserve-call.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { VideoRequest } from '../wire/videos/video-request.ts';
import type { Repository } from '../stores/store.ts';
import type { VideoCapabilities } from '../wire/models/video-capabilities.ts';
import { videoCostNanoUsd } from './video-cost.ts';
import { hasEnded, type VideoJob } from '../stores/video-job.ts';

export interface VideoReservation {
  readonly request: VideoRequest;
  readonly endpoints: readonly Endpoint[];
  readonly capabilities: VideoCapabilities;
  readonly principal: Principal;
  /** Of the principal. */
  readonly policy: Policy | null;
  /** Of the generation that will tell what the job has cost. */
  readonly generationId: string;
}

export interface ReservedVideo {
  /** Those at which the job may be made: within a budget only such as have a price for it. */
  readonly endpoints: readonly Endpoint[];
  /** What is held for it, billionths of a dollar, until its generation is recorded. */
  readonly reservedNanoUsd: number;
}

/**
 * Holds what a job may cost at most. Throws `payment_required` or `permission_denied` when that does not fit into a
 * budget beside what was spent and is held, and `not_found` when there is a budget, but no price.
 */
export async function reserveVideo(reservation: VideoReservation, runtime: Runtime): Promise<ReservedVideo> {
  const { principal, policy, generationId } = reservation;
  const budgets = await findBudgets(principal, policy, runtime);
  const measure = { durationSeconds: longestOf(reservation), videos: 1 };
  const costAt = ({ prices }: Endpoint): number | null => videoCostNanoUsd(prices, measure);
  const endpoints =
    budgets.length === 0
      ? reservation.endpoints
      : reservation.endpoints.filter((endpoint) => costAt(endpoint) !== null);
  if (endpoints.length === 0) {
    const message = `model: ${reservation.request.model} has no price for this video, so no budget can allow for it`;
    throw new GatewayError('not_found', message);
  }
  const worst = worstOf(endpoints, (endpoint) => costAt(endpoint) ?? 0);
  await runtime.ledger.reserve({ id: generationId, spenders: spendersOf(toCaller(principal)), ...worst }, budgets);
  return { endpoints, reservedNanoUsd: worst.anyNanoUsd };
}

function longestOf({ request, capabilities }: VideoReservation): number | undefined {
  const durations = capabilities.supported_durations;
  return request.duration ?? (durations === undefined ? undefined : Math.max(...durations));
}

/** What is held for the jobs that were open when the process started. */
export function findVideoHolds(jobs: Pick<Repository<VideoJob>, 'list'>): Awaitable<readonly Hold[]> {
  const all = jobs.list();
  return all instanceof Promise ? all.then(toHolds) : toHolds(all);
}

function toHolds(jobs: readonly VideoJob[]): readonly Hold[] {
  return jobs.flatMap((job) => (hasEnded(job) ? [] : [toHold(job)]));
}

function toHold({ generationId, principalId, userId, workspaceId, isByok, reservedNanoUsd }: VideoJob): Hold {
  const caller: Caller = { principalId, userId: userId ?? null, workspaceId: workspaceId ?? '' };
  return {
    id: generationId,
    spenders: spendersOf(caller),
    creditsNanoUsd: isByok ? null : reservedNanoUsd,
    anyNanoUsd: reservedNanoUsd,
  };
}
