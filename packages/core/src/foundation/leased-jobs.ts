import type { Logger } from './host.ts';
import type { Platform } from './platform.ts';

/** A job is its process's, among several at one store, until this time in milliseconds since the epoch. */
export interface Lease {
  readonly ownerId: string;
  readonly untilMs: number;
}

/** Who leases. `ownerId`: distinguishes this process from others; null where there are none, and so no leases. */
export interface LeaseHolder {
  readonly ownerId: (() => string) | null;
  readonly platform: Pick<Platform, 'now'>;
}

const LEASE_MS = 60_000;

/** Whether another process has the job. */
export const isLeasedElsewhere = (lease: Lease | null | undefined, { ownerId, platform }: LeaseHolder): boolean =>
  ownerId !== null && lease != null && lease.ownerId !== ownerId() && lease.untilMs > platform.now();

/** A lease of this process from now on. */
export const toLease = ({ ownerId, platform }: LeaseHolder): Lease | null =>
  ownerId === null ? null : { ownerId: ownerId(), untilMs: platform.now() + LEASE_MS };

/** A step of a job may last longer than a lease. Renews it until the returned function is called. */
export function keepRenewing(
  renew: () => Promise<unknown>,
  { ownerId, platform }: Pick<LeaseHolder, 'ownerId'> & { readonly platform: Pick<Platform, 'setTimer'> },
  onFailure: (error: unknown) => void,
): () => void {
  if (ownerId === null) return () => undefined;
  let isOver = false;
  let cancel = (): void => undefined;
  const schedule = (): void => {
    cancel = platform.setTimer(() => {
      renew()
        .catch(onFailure)
        .finally(() => isOver || schedule());
    }, LEASE_MS / 3);
  };
  schedule();
  return () => {
    isOver = true;
    cancel();
  };
}

/** Runs jobs that are rows of a store, each once at a time. */
export interface JobRunner {
  /** Takes up those that a process has left, and looks for such ones now and then where it is to, and after failures. */
  start(): Promise<void>;
  /** Takes a job up; one that is under way is looked at again when it has ended. */
  takeUp(id: string): void;
  /** Begins nothing more. */
  stop(): void;
  /** Resolves when no job is under way any more, after `stop`. */
  leave(): Promise<void>;
}

/** What tells a job that its process ends. */
export interface JobStop {
  /** Aborts at once: for what the next process simply does again. */
  readonly stopping: AbortSignal;
  /** Aborts some seconds later: for what had better come to its end, because it cannot be done again without harm. */
  readonly cutOff: AbortSignal;
}

/** Behind `JobStop`. */
interface Controllers {
  readonly stopping: AbortController;
  readonly cutOff: AbortController;
}

interface JobRunnerOptions {
  /** In messages: `batch`. */
  readonly name: string;
  /** Those that are to be run here. */
  readonly findIds: () => Promise<readonly string[]>;
  readonly run: (id: string, stop: JobStop) => Promise<void>;
  /** Whether it looks for jobs of other processes again and again, and not only for those that a failure has stopped. */
  readonly scansAgain: boolean;
  readonly platform: Platform;
  readonly logger: Logger;
}

const SCAN_EVERY_MS = 10_000;
/** The end of a process waits so long for what had better come to its end; its own limit is seconds beyond the drain. */
const CUT_OFF_MS = 5000;

export function createJobRunner({ name, findIds, run, scansAgain, platform, logger }: JobRunnerOptions): JobRunner {
  const running = new Map<string, Promise<void>>();
  /** Those that were taken up again while they were about to end. */
  const again = new Set<string>();
  let isStopped = false;
  let begun: Controllers | undefined;
  /** With the first job: a host for single requests makes no signals outside of one. */
  const begin = (): Controllers => (begun ??= { stopping: new AbortController(), cutOff: new AbortController() });
  let cancelScan = (): void => undefined;
  let cancelCutOff = (): void => undefined;
  const takeUp = (id: string): void => {
    if (isStopped) return;
    if (running.has(id)) return void again.add(id);
    const { stopping, cutOff } = begin();
    const work = run(id, { stopping: stopping.signal, cutOff: cutOff.signal })
      .catch((error: unknown) => {
        logger.error(`a ${name} has stopped`, { [name]: id, reason: String(error) });
        scanLater();
      })
      .finally(() => {
        running.delete(id);
        if (again.delete(id)) takeUp(id);
      });
    running.set(id, work);
  };
  const scanLater = (): void => {
    cancelScan();
    if (!isStopped) cancelScan = platform.setTimer(() => void scan(), SCAN_EVERY_MS);
  };
  /** Never rejects: a store that is away is asked again, also where one look would do. */
  const scan = async (): Promise<void> => {
    let isListed = false;
    try {
      for (const id of await findIds()) if (!running.has(id)) takeUp(id);
      isListed = true;
    } catch (error) {
      logger.warn(`jobs could not be listed (${name})`, { reason: String(error) });
    }
    if (scansAgain || !isListed) scanLater();
  };
  return {
    async start() {
      if (platform.isPerRequest === true) return;
      await scan();
    },
    takeUp,
    stop() {
      cancelScan();
      if (isStopped) return;
      isStopped = true;
      if (begun === undefined) return;
      const { stopping, cutOff } = begun;
      stopping.abort();
      if (running.size > 0) cancelCutOff = platform.setTimer(() => cutOff.abort(), CUT_OFF_MS);
    },
    async leave() {
      await Promise.all(running.values());
      cancelCutOff();
    },
  };
}
