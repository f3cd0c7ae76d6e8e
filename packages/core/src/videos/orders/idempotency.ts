import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-jobs.ts';
import {
  type ClaimPlatform,
  type HeldClaim,
  type IdempotentCall,
  otherBody,
  underWay as beingUnderWay,
  withClaim,
} from './claim-order.ts';

/**
 * Asked once the job with this id is stored, and before upstream is called. False: another process, which took the turn
 * of this one for given up, has made a job with the key, so that this job has to go.
 */
export type ConfirmOrder = (jobId: string) => Promise<boolean>;

/** Makes one job of calls that carry the same key. */
export interface IdempotencyGuard {
  /** Resolves with the job that the same call has made before or is making now, else with the result of `make`. */
  once(call: IdempotentCall, make: (confirm: ConfirmOrder) => Promise<VideoJob>): Promise<VideoJob>;
}

/** No submission takes longer. */
const LONGEST_SUBMISSION_MS = 5 * 60_000;
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * Creates the guard: a key is valid for 24 hours and for its own caller. With another body it is refused as `conflict`.
 * A call that failed has made no job and leaves its key free.
 */
export function createIdempotencyGuard(
  { videoJobs: jobs, entries }: Pick<Store, 'videoJobs' | 'entries'>,
  platform: ClaimPlatform & Pick<Platform, 'now' | 'isPerRequest'>,
): IdempotencyGuard {
  const underWay = new Map<
    string,
    { readonly bodyHash: string; readonly job: Promise<VideoJob>; readonly startedAt: number }
  >();

  const find = async ({ principalId, key }: IdempotentCall, exceptId?: string): Promise<VideoJob | undefined> => {
    const isIts = (job: VideoJob): boolean =>
      job.principalId === principalId && job.idempotency?.key === key && job.id !== exceptId;
    const newest =
      jobs.findByIdempotencyKey === undefined
        ? (await jobs.list()).findLast(isIts)
        : await jobs.findByIdempotencyKey(principalId, key, exceptId);
    return newest !== undefined && newest.createdAt > platform.now() - KEPT_MS ? newest : undefined;
  };
  /**
   * A process that is paused for longer than its claim lives may store its job after another has looked for one. It
   * therefore looks at its claim once more after that. Where it still has the claim, whoever takes it over later finds
   * the job. Otherwise it waits for its turn again, and goes on only if there is no other job by then.
   */
  const findOrMake = async (
    call: IdempotentCall,
    make: (confirm: ConfirmOrder) => Promise<VideoJob>,
    claim?: HeldClaim,
  ): Promise<VideoJob> => {
    const found = await find(call);
    if (found !== undefined) return checked(call, found.idempotency?.bodyHash, found);
    let other: VideoJob | undefined;
    const confirm: ConfirmOrder = async (jobId) => {
      if (claim === undefined || (await claim.isHeld())) return true;
      await claim.regain();
      other = await find(call, jobId);
      return other === undefined;
    };
    try {
      return await make(confirm);
    } catch (error) {
      if (other === undefined) throw error;
      return checked(call, other.idempotency?.bodyHash, other);
    }
  };

  return {
    async once(call, make) {
      const id = `${call.principalId}\n${call.key}`;
      const running = underWay.get(id);
      if (running !== undefined && platform.isPerRequest === true) refuseUnderWay(running.startedAt, platform.now());
      else if (running !== undefined) return checked(call, running.bodyHash, await running.job);
      const work = (claim?: HeldClaim): Promise<VideoJob> => findOrMake(call, make, claim);
      const job = entries === undefined ? work() : withClaim(call, work, { entries, platform });
      underWay.set(id, { bodyHash: call.bodyHash, job, startedAt: platform.now() });
      try {
        return await job;
      } finally {
        underWay.delete(id);
      }
    },
  };
}

function checked({ bodyHash }: IdempotentCall, known: string | undefined, job: VideoJob): VideoJob {
  if (bodyHash === known) return job;
  throw otherBody();
}

/** Where a request cannot wait for the promise of another; one that has taken too long has ended without its end. */
function refuseUnderWay(startedAt: number, now: number): void {
  if (now - startedAt <= LONGEST_SUBMISSION_MS) throw beingUnderWay();
}
