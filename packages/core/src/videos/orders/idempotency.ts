import type { Platform } from '../../foundation/platform.ts';
import type { Store } from '../../stores/store.ts';
import type { VideoJob } from '../../stores/video-job.ts';
import {
  type ClaimPlatform,
  type IdempotentCall,
  otherBody,
  underWay as beingUnderWay,
  withClaim,
} from './claim-order.ts';

/** Makes one job of calls that carry the same key. */
export interface IdempotencyGuard {
  /** Resolves with the job that the same call has made before or is making now, else with the result of `make`. */
  once(call: IdempotentCall, make: () => Promise<VideoJob>): Promise<VideoJob>;
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

  const find = async ({ principalId, key }: IdempotentCall): Promise<VideoJob | undefined> => {
    const isIts = (job: VideoJob): boolean => job.principalId === principalId && job.idempotency?.key === key;
    const newest =
      jobs.findByIdempotencyKey === undefined
        ? (await jobs.list()).findLast(isIts)
        : await jobs.findByIdempotencyKey(principalId, key);
    return newest !== undefined && newest.createdAt > platform.now() - KEPT_MS ? newest : undefined;
  };
  const findOrMake = async (call: IdempotentCall, make: () => Promise<VideoJob>): Promise<VideoJob> => {
    const found = await find(call);
    return found === undefined ? make() : checked(call, found.idempotency?.bodyHash, found);
  };

  return {
    async once(call, make) {
      const id = `${call.principalId}\n${call.key}`;
      const running = underWay.get(id);
      if (running !== undefined && platform.isPerRequest === true) refuseUnderWay(running.startedAt, platform.now());
      else if (running !== undefined) return checked(call, running.bodyHash, await running.job);
      const work = (): Promise<VideoJob> => findOrMake(call, make);
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
