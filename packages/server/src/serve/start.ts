import type { ServerLogger } from '../logger.ts';
import type { StartPlan } from '../plan-start.ts';
import type { WorkerPlace } from '../workers/worker-place.ts';
import type { ServeOptions } from './parse-serve.ts';

/** One start of `serve`: what it was asked for, and what it has opened so far. */
export interface Start extends StartPlan, Pick<ServeOptions, 'record' | 'fixtures' | 'trustsClock'> {
  readonly logger: ServerLogger;
  /** Reads the configuration anew. Throws what is wrong with it. */
  readonly planAnew: () => StartPlan;
  /** Management key for other commands of this machine's user, valid while this process runs. */
  readonly ownerToken: string;
  /** Close functions of the opened parts; called from the last to the first. */
  readonly closers: (() => Promise<void>)[];
  /** Null for a process without other workers. */
  readonly place: WorkerPlace | null;
  /** Whether a signal came during the start. */
  readonly isStopping: () => boolean;
}
