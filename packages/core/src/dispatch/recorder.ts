import { DEFAULT_WORKSPACE_ID } from '../auth/keys.ts';
import type { Outcome } from '../calls/attempt.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { keepLongTexts, LostTextError } from '../generations/long-output.ts';
import { hasAttemptTexts, type SettledGeneration, withoutAttemptTexts } from '../generations/to-generation.ts';
import type { GatewayRequest } from '../http/request.ts';
import { spendersOf } from '../limits/budgets.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { RandomSource } from '../routing/order-endpoints.ts';
import { toSpent } from '../stores/kit/spending.ts';
import type {
  GenerationRecord,
  GenerationRepository,
  StoredContent,
  TableRepository,
  WorkspaceRecord,
} from '../stores/store.ts';
import type { Generation } from '../wire/generation.ts';

/** Receives every generation after it has been recorded. An exception or rejection is logged, without other effect. */
export type GenerationListener = (record: GenerationRecord) => Awaitable<void>;

/** One attempt at an endpoint, of a call that has been recorded. */
export interface AttemptReport {
  /** Its place among the attempts of the call, from 0. */
  readonly index: number;
  readonly attempt: NonNullable<Generation['provider_responses']>[number];
  readonly record: GenerationRecord;
}

/** Receives every attempt after its call has been recorded. An exception or rejection is logged, without other effect. */
export type AttemptListener = (report: AttemptReport) => Awaitable<void>;

/** Makes a listener to generations of one to attempts. */
export const toAttemptListener =
  (listener: AttemptListener, logger: Logger): GenerationListener =>
  (record) => {
    const attempts = record.generation.provider_responses ?? [];
    const telling = [];
    for (const [index, attempt] of attempts.entries()) {
      const told = tell(() => listener({ index, attempt, record }), record, logger);
      if (told !== undefined) telling.push(told);
    }
    return telling.length === 0 ? undefined : Promise.all(telling).then(() => undefined);
  };

/** Writes down what became of calls, for every kind of call. */
export interface Recorder {
  /**
   * Records a call that has ended. The last byte of its response waits for it: an acknowledged call is never lost.
   * Rejects with `internal` when the store fails, because then the response must not end successfully. The host goes on
   * until this and what the listeners do is done, where it would end with the response.
   */
  recordCall(
    settled: SettledGeneration,
    outcome: Outcome,
    host?: Pick<GatewayRequest, 'id' | 'waitUntil'>,
  ): Promise<void>;
  /** Records work that outlives its request and counts no tokens: appends, settles, notifies the listeners. */
  append(record: GenerationRecord, content: StoredContent | null): Promise<void>;
}

interface RecorderParts {
  readonly generations: Pick<GenerationRepository, 'append'>;
  readonly ledger: Pick<Ledger, 'keepLost' | 'release'>;
  /** Null without any. */
  readonly rateLimits: Pick<RateLimits, 'noteTokens'> | null;
  readonly counters: CallCounters;
  readonly logger: Logger;
  readonly workspaces: Pick<TableRepository<WorkspaceRecord>, 'get'>;
  /** Draws the calls of a workspace that stores the contents of a share of them. */
  readonly random: RandomSource;
  /** A content above this limit is not stored at all: half a conversation could be mistaken for a whole one. */
  readonly maxContentBytes: number;
  readonly listeners: readonly GenerationListener[];
  /** Whether work has to end within a request: what has no host of its own then waits for the listeners. */
  readonly isPerRequest?: boolean | undefined;
}

/** Creates the one recorder of a gateway (docs/decisions/0024). */
export function createRecorder(parts: RecorderParts): Recorder {
  const { generations, ledger, rateLimits, counters, logger, maxContentBytes, listeners, isPerRequest } = parts;

  const append = async (
    given: GenerationRecord,
    content: StoredContent | null,
    host?: Pick<GatewayRequest, 'id' | 'waitUntil'>,
  ): Promise<void> => {
    const { generation, costNanoUsd, principalId, userId = null } = given;
    let record = given;
    const { creditsNanoUsd } = toSpent(generation, costNanoUsd);
    const cost = {
      creditsNanoUsd: generation.is_byok && creditsNanoUsd === 0 ? null : creditsNanoUsd,
      anyNanoUsd: costNanoUsd,
    };
    try {
      // A content that is too long is not stored, and the errors of its attempts may be.
      const choosing = (content === null && !hasAttemptTexts(generation)) || isContentKept(given, parts);
      const isKept = choosing instanceof Promise ? await choosing : choosing;
      if (!isKept) record = { ...given, generation: withoutAttemptTexts(generation) };
      await appendReadable(generations, record, isKept ? content : null);
      ledger.release(generation.id, cost);
    } catch (cause) {
      // It was spent all the same, and no sum will ever show it.
      ledger.keepLost({
        id: generation.id,
        spenders: spendersOf({ principalId, userId, workspaceId: generation.workspace_id ?? DEFAULT_WORKSPACE_ID }),
        ...cost,
      });
      counters.recordFailures += 1;
      const told = { id: generation.id, requestId: host?.id, reason: String(cause) };
      logger.error('a generation could not be recorded', told);
      throw new GatewayError('internal', 'The generation could not be recorded', { cause });
    }
    for (const listener of listeners) {
      const told = tell(() => listener(record), record, logger);
      if (told !== undefined) host?.waitUntil?.(told);
    }
  };

  const recordCall: Recorder['recordCall'] = async (settled, outcome, host) => {
    const { record, principal, usage, content, contentLength } = settled;
    const { generation } = record;
    counters[outcome.status] += 1;
    if (usage !== undefined) rateLimits?.noteTokens(principal, generation.model, usage.total_tokens);
    await append(record, contentLength > maxContentBytes ? null : content, host);
    if (outcome.status !== 'failed') return;
    logger.warn('a call failed', {
      id: generation.id,
      requestId: host?.id,
      model: generation.model,
      provider: generation.provider_name,
      code: outcome.error.code,
      reason: outcome.error.message,
      cause: describeCause(outcome.error.cause),
    });
  };

  return {
    async append(record, content) {
      const following: Promise<unknown>[] = [];
      const waitUntil = (work: Promise<unknown>): void => void following.push(work);
      await append(record, content, isPerRequest === true ? { waitUntil } : undefined);
      await Promise.all(following);
    },
    recordCall(settled, outcome, host) {
      const recording = recordCall(settled, outcome, host);
      host?.waitUntil?.(recording.catch(() => undefined));
      return recording;
    },
  };
}

/** Whether the workspace of a call stores what was said in it. Synchronous where the store has its tables in memory. */
function isContentKept(
  { generation }: GenerationRecord,
  { workspaces, random }: Pick<RecorderParts, 'workspaces' | 'random'>,
): Awaitable<boolean> {
  return whenKnown(workspaces.get(generation.workspace_id ?? DEFAULT_WORKSPACE_ID), (record) => {
    if (record === undefined) return true;
    const { is_observability_io_logging_enabled: isEnabled, io_logging_sampling_rate: share } = record.workspace;
    return isEnabled && (share >= 1 || random() < share);
  });
}

/** Appends a record, without its content where a text of that was put aside and is lost. */
async function appendReadable(
  generations: RecorderParts['generations'],
  record: GenerationRecord,
  content: StoredContent | null,
): Promise<void> {
  try {
    await generations.append(record, content);
    if (content !== null) keepLongTexts(content);
  } catch (error) {
    if (!(error instanceof LostTextError)) throw error;
    await generations.append(record, null);
  }
}

/** Calls do not wait for listeners. Returns a promise, which never rejects, while one is at work. */
function tell(listener: () => Awaitable<void>, record: GenerationRecord, logger: Logger): Promise<void> | undefined {
  const logFailure = (error: unknown): void =>
    logger.error('a listener to generations failed', { id: record.generation.id, reason: String(error) });
  try {
    const telling = listener();
    return telling instanceof Promise ? telling.catch(logFailure) : undefined;
  } catch (error) {
    logFailure(error);
    return undefined;
  }
}

/**
 * Returns the whole chain of causes: callers receive only the class of a failure, and the operator needs the first
 * cause.
 */
function describeCause(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const deeper = describeCause(cause.cause);
  return `${cause.name}: ${cause.message}${deeper === undefined ? '' : ` (${deeper})`}`;
}

/** How calls have ended since the start, for metrics. */
export interface CallCounters {
  completed: number;
  failed: number;
  cancelled: number;
  /** Generations that could not be written down; above zero and rising means the store is in trouble. */
  recordFailures: number;
}

export function createCallCounters(): CallCounters {
  return { completed: 0, failed: 0, cancelled: 0, recordFailures: 0 };
}
