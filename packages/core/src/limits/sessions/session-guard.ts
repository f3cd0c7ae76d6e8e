import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import type { ModelCall } from '../../calls/model-call.ts';
import { GatewayError } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/host.ts';
import { NANO_PER_USD } from '../../foundation/money.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { GenerationRecord, SessionSum, Store } from '../../stores/store.ts';
import type { SessionLimits, SessionStopReason, StoppedSession } from '../../wire/session-limits.ts';
import { findLoop } from './find-loop.ts';

/** What a session has come to. */
export interface SessionFigures {
  readonly calls: number;
  readonly costNanoUsd: number;
  readonly firstAtMs: number;
}

/** A limit that a session has reached. */
export interface SessionStop {
  readonly reason: SessionStopReason;
  /** In words for the caller. */
  readonly message: string;
}

export interface SessionGuard {
  /**
   * Call it before a call of a session is planned, while limits are set. Throws `permission_denied` where the session has
   * reached one that refuses; where it warns, resolves with the words of the notice. Resolves with null otherwise.
   * `requestId`: for the log.
   */
  check(call: ModelCall, limits: SessionLimits, requestId?: string): Promise<string | null>;
  /** Call it with every record. */
  noteRecorded(record: GenerationRecord): void;
}

interface SessionGuardParts {
  readonly store: Pick<Store, 'generations' | 'settings' | 'isShared'>;
  readonly platform: Pick<Platform, 'now'>;
  readonly logger: Logger;
}

/** What is known of a session here. */
interface Book {
  calls: number;
  costNanoUsd: number;
  firstAtMs: number;
  readAtMs: number;
}

/** The sessions that called last; others are added up anew when they call again. */
const MAX_SESSIONS = 10_000;
/** Other processes record calls of the same session: so long their figures are not asked for again. */
const KNOWN_MS = 15_000;
/** Stopped sessions that are kept, the latest. */
const MAX_STOPPED = 200;

/**
 * Creates what holds sessions to their limits (docs/decisions/0102). The figures come from the store when a session is
 * first seen, so that they outlive a restart, and from the records of this process after that. Calls that run at the same
 * time do not count with their cost, as that is known at their end.
 */
export function createSessionGuard({ store, platform, logger }: SessionGuardParts): SessionGuard {
  const books = new Map<string, Book>();

  const opening = new Map<string, Promise<Book>>();

  /** Calls go on while the store is away, and so do limits, by what this process knows. */
  const sumUp = async (workspaceId: string, sessionId: string): Promise<SessionSum | undefined> => {
    try {
      return (await store.generations.sessions({ limit: 1, workspaceId, filter: { sessionId } })).sessions[0];
    } catch (error) {
      logger.warn('the figures of a session could not be read', { session: sessionId, reason: String(error) });
      return undefined;
    }
  };

  const readBook = async (workspaceId: string, sessionId: string): Promise<Book> => {
    const key = toKey(workspaceId, sessionId);
    const sum = await sumUp(workspaceId, sessionId);
    const known = books.get(key);
    const book: Book = {
      // Calls that run are in neither sum.
      calls: Math.max(sum?.requests ?? 0, known?.calls ?? 0),
      costNanoUsd: Math.max(sum?.costNanoUsd ?? 0, known?.costNanoUsd ?? 0),
      firstAtMs: sum?.firstAtMs ?? known?.firstAtMs ?? platform.now(),
      readAtMs: platform.now(),
    };
    books.set(key, book);
    const oldest = books.size > MAX_SESSIONS ? books.keys().next().value : undefined;
    if (oldest !== undefined) books.delete(oldest);
    return book;
  };

  const openBook = (workspaceId: string, sessionId: string): Book | Promise<Book> => {
    const key = toKey(workspaceId, sessionId);
    const known = books.get(key);
    if (known !== undefined && (store.isShared !== true || platform.now() - known.readAtMs < KNOWN_MS)) {
      // To the end of the list, whose beginning is dropped.
      books.delete(key);
      books.set(key, known);
      return known;
    }
    const reading = opening.get(key) ?? readBook(workspaceId, sessionId).finally(() => opening.delete(key));
    opening.set(key, reading);
    return reading;
  };

  const noteStopped = async (stopped: StoppedSession): Promise<void> => {
    const isSame = (other: StoppedSession): boolean =>
      other.session_id === stopped.session_id && other.workspace_id === stopped.workspace_id;
    const before = store.settings.get().stopped_sessions?.find(isSame);
    if (before !== undefined && before.allowed_at === null && before.reason === stopped.reason) return;
    try {
      await store.settings.update((settings) => ({
        ...settings,
        stopped_sessions: [stopped, ...(settings.stopped_sessions ?? []).filter((other) => !isSame(other))].slice(
          0,
          MAX_STOPPED,
        ),
      }));
    } catch (error) {
      const { session_id: session } = stopped;
      logger.warn('a session that has reached a limit could not be stored', { session, reason: String(error) });
    }
  };

  return {
    async check(call, limits, requestId) {
      const { session, principal, request, kind } = call;
      if (session === null) return null;
      const workspaceId = principal.workspaceId ?? DEFAULT_WORKSPACE_ID;
      const book = await openBook(workspaceId, session);
      const allowed = store.settings
        .get()
        .stopped_sessions?.find((other) => other.session_id === session && other.workspace_id === workspaceId);
      const figures = toFiguresSince(allowed, book);
      const stop =
        findPassedLimit(figures, limits, platform.now()) ?? findLoopIn(kind.turnsOf?.(request), figures, limits);
      if (stop === null) {
        book.calls += 1;
        return null;
      }
      const isWarned = limits.action === 'warn';
      if (isWarned) book.calls += 1;
      const message = `Session ${session}: ${stop.message}`;
      logger.warn(`a session has reached a limit${isWarned ? '' : ', and its call was refused'}`, {
        requestId,
        session,
        reason: stop.reason,
      });
      await noteStopped({
        session_id: session,
        workspace_id: workspaceId,
        reason: stop.reason,
        message: stop.message,
        action: limits.action,
        at: new Date(platform.now()).toISOString(),
        cost_usd: book.costNanoUsd / NANO_PER_USD,
        calls: book.calls,
        allowed_at: null,
      });
      if (isWarned) return message.replace(/[^ -~]/g, '?');
      throw new GatewayError(
        'permission_denied',
        `${message}. An administrator can let it continue in Settings, under Session limits.`,
        {
          metadata: { session_id: session, session_limit: stop.reason },
        },
      );
    },
    noteRecorded({ generation, costNanoUsd }) {
      const { session_id: session, workspace_id: workspace } = generation;
      if (session === null || books.size === 0) return;
      const book = books.get(toKey(workspace ?? DEFAULT_WORKSPACE_ID, session));
      if (book !== undefined) book.costNanoUsd += costNanoUsd ?? 0;
    },
  };
}

const toKey = (workspaceId: string, session: string): string => `${workspaceId}\n${session}`;

/** The figures from where a person let the session go on. */
function toFiguresSince(stopped: StoppedSession | undefined, book: SessionFigures): SessionFigures {
  if (stopped === undefined || stopped.allowed_at === null) return book;
  return {
    calls: book.calls - stopped.calls,
    costNanoUsd: book.costNanoUsd - Math.round(stopped.cost_usd * NANO_PER_USD),
    firstAtMs: Date.parse(stopped.allowed_at),
  };
}

/** The first limit that a session has reached before its next call; null for none. */
export function findPassedLimit(
  { calls, costNanoUsd, firstAtMs }: SessionFigures,
  { max_cost_usd: maxCost, max_calls: maxCalls, max_minutes: maxMinutes }: Omit<SessionLimits, 'action'>,
  nowMs: number,
): SessionStop | null {
  if (maxCost !== null && costNanoUsd >= maxCost * NANO_PER_USD)
    return {
      reason: 'cost',
      message: `it has cost $${(costNanoUsd / NANO_PER_USD).toFixed(4)}, and its limit is $${maxCost}`,
    };
  if (maxCalls !== null && calls >= maxCalls)
    return { reason: 'calls', message: `it has made ${calls} calls, and its limit is ${maxCalls}` };
  if (maxMinutes !== null && nowMs - firstAtMs >= maxMinutes * 60_000 && calls > 0)
    return { reason: 'minutes', message: `it began more than ${maxMinutes} minutes ago, which is its limit` };
  return null;
}

type Turns = ReturnType<NonNullable<ModelCall['kind']['turnsOf']>>;

/** A loop that a person let go on is one again after as many further calls. */
function findLoopIn(
  messages: Turns | undefined,
  { calls }: SessionFigures,
  { max_repeats: times }: SessionLimits,
): SessionStop | null {
  if (messages === undefined || times === null || calls < times) return null;
  const loop = findLoop(messages, times);
  return loop === null ? null : { reason: 'loop', message: toLoopWords(loop) };
}

/** A loop in words. */
export function toLoopWords({ steps, times, tools }: NonNullable<ReturnType<typeof findLoop>>): string {
  const what = tools.length === 0 ? 'the same completion' : `the same call of ${tools.join(', ')}`;
  return steps === 1
    ? `it repeats ${what}: ${times} times with the same result`
    : `it repeats the same ${steps} steps${tools.length === 0 ? '' : ` (${tools.join(', ')})`} ${times} times`;
}
