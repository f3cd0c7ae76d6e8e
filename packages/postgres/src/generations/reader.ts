import {
  GatewayError,
  type GenerationFacts,
  type GenerationFilter,
  type GenerationRecord,
  type GenerationStatus,
  toAttemptFacts,
} from '@model-gateway/core';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { PoolClient } from 'pg';

import { fromColumnId } from '../connection/column-text.ts';

/** What reads need of the connections of this process. */
export interface ReadConnection {
  useClient<Result>(limitMs: number, work: (client: PoolClient) => Promise<Result>): Promise<Result>;
}

/** Runs one query and returns its rows. Throws a `SlowQueryError` at the limit of its snapshot. */
export type Read = <Row>(query: RawBuilder<Row>) => Promise<Row[]>;

/** Runs queries that all see the same state of the database. */
type Snapshot = <Result>(limitMs: number, work: (read: Read) => Promise<Result>) => Promise<Result>;

/** A query took longer than it may. Where nothing shorter can be tried, the caller is asked to come again. */
export class SlowQueryError extends GatewayError {
  constructor(cause?: unknown) {
    super('provider_overloaded', 'The database of the gateway is too slow at the moment; try again shortly', {
      retryAfterSeconds: 1,
      ...(cause !== undefined && { cause }),
    });
  }
}

/** Compiles only. */
const statementCompiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const QUERY_CANCELED = '57014';
/** The server has ended a statement before this process stops waiting. */
const CANCEL_SLACK_MS = 2000;

/** The part of the time that is over after which the server is told how much is left: to tell it takes a round trip. */
const TOLD_AFTER = 0.1;

/** Creates snapshots. The limit holds for all queries of one together, from when its connection is there. */
export function createSnapshot(connection: ReadConnection, monotonicNow: () => number): Snapshot {
  return async (limitMs, work) => {
    const done = await connection.useClient(limitMs + CANCEL_SLACK_MS, async (client) => {
      const until = monotonicNow() + limitMs;
      let toldMs = limitMs;
      const read: Read = async (query) => {
        const leftMs = until - monotonicNow();
        if (leftMs <= 0) throw new SlowQueryError();
        if (leftMs < toldMs * (1 - TOLD_AFTER)) {
          await runWithin(client, `set local statement_timeout = ${Math.ceil(leftMs)}`);
          toldMs = leftMs;
        }
        const { sql, parameters } = query.compile(statementCompiler);
        return runWithin(client, sql, parameters);
      };
      // To compile a query takes longer than nearly all of these do.
      await client.query(
        'begin isolation level repeatable read read only; set local jit = off; ' +
          `set local work_mem = '32MB'; set local statement_timeout = ${Math.max(1, Math.ceil(limitMs))}`,
      );
      let isOver = false;
      try {
        const result = await work(read);
        isOver = true;
        await client.query('commit');
        return { result };
      } catch (error) {
        // Outside of the connection, which would take it for a failure of the database.
        if (error instanceof SlowQueryError) return { error };
        throw error;
      } finally {
        if (!isOver) await client.query('rollback').catch(() => undefined);
      }
    });
    if ('error' in done) throw done.error;
    return done.result;
  };
}

async function runWithin<Row>(client: PoolClient, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  try {
    return (await client.query(text, [...parameters])).rows as Row[];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === QUERY_CANCELED)) throw error;
    throw new SlowQueryError(error);
  }
}

/** What queries of generations are made of. */
export interface ReadParts {
  readonly snapshot: Snapshot;
  /** Milliseconds. */
  readonly monotonicNow: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A row of `gateway.generations` as a query returns it. */
export interface FactsRow {
  readonly id: string;
  readonly created_at_ms: number;
  readonly model: string;
  readonly provider_name: string | null;
  readonly session_id: string | null;
  readonly status: string;
  readonly principal_id: string;
  readonly user_id: string | null;
  readonly app: string | null;
  readonly cost_nano: number;
  readonly is_cost_known: boolean;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly saved_nano: number;
  readonly first_token_ms: number | null;
  readonly duration_ms: number | null;
  readonly tokens_per_second: number | null;
  readonly attempts: number;
  readonly latency_ms: number | null;
  readonly is_streamed: boolean;
  readonly finish_reason: string | null;
  readonly user_agent: string | null;
  readonly external_user: string | null;
  readonly errors: string[];
}

export interface RecordRow {
  readonly record: string;
}

/** The columns of facts; `g` is the table. */
export const FACTS = sql.raw(
  [
    'id created_at_ms model provider_name session_id status principal_id user_id app cost_nano is_cost_known',
    'prompt_tokens completion_tokens cached_tokens saved_nano first_token_ms duration_ms tokens_per_second attempts',
    'latency_ms is_streamed finish_reason user_agent external_user errors',
  ]
    .join(' ')
    .split(' ')
    .map((column) => `g.${column}`)
    .join(', '),
);

export const toRecord = ({ record }: RecordRow): GenerationRecord => JSON.parse(record) as GenerationRecord;

export const toFacts = (row: FactsRow): GenerationFacts => ({
  createdAtMs: row.created_at_ms,
  model: row.model,
  providerName: row.provider_name,
  sessionId: row.session_id,
  status: row.status as GenerationStatus,
  principalId: fromColumnId(row.principal_id),
  userId: row.user_id === null ? null : fromColumnId(row.user_id),
  app: row.app,
  costNanoUsd: row.cost_nano,
  isCostKnown: row.is_cost_known,
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  cachedTokens: row.cached_tokens,
  cacheSavedNanoUsd: row.saved_nano,
  firstTokenMs: row.first_token_ms,
  durationMs: row.duration_ms,
  tokensPerSecond: row.tokens_per_second,
  attempts: row.attempts,
  latencyMs: row.latency_ms,
  isStreamed: row.is_streamed,
  finishReason: row.finish_reason,
  userAgent: row.user_agent,
  externalUser: row.external_user,
  errors: row.errors,
});

/** A row as a scan shows it; the record is parsed once, where it is asked for. */
export function toScanned(row: FactsRow & RecordRow) {
  let record: GenerationRecord | undefined;
  const readRecord = (): GenerationRecord => (record ??= toRecord(row));
  return {
    readFacts: () => toFacts(row),
    readAttempts: () => toAttemptFacts(readRecord().generation),
    readRecord,
  };
}

/** A part of a span of time that may have no beginning or no end. */
interface Step {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The span of a filter in up to three steps, newest first: a plan for few partitions is made in a tenth of the time of one
 * for all.
 */
export function toSteps(
  { createdFromMs: fromMs, createdBeforeMs: toMs }: Pick<GenerationFilter, 'createdFromMs' | 'createdBeforeMs'>,
  newestMs: number,
): Step[] {
  const steps: Step[] = [];
  let end = toMs;
  for (const days of [1, 5]) {
    const startMs = Math.min(newestMs, toMs ?? newestMs) - days * DAY_MS;
    if (fromMs !== undefined && startMs <= fromMs) break;
    steps.push({ fromMs: startMs, toMs: end });
    end = startMs;
  }
  return [...steps, { fromMs, toMs: end }];
}

/** A span of time, its end excluded. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Walk {
  readonly span: Span;
  /** For all of it, in milliseconds. */
  readonly budgetMs: number;
  readonly monotonicNow: () => number;
}

const MINUTE_MS = 60_000;
/** In whole milliseconds, as columns have them. */
const toStep = (ms: number): number => Math.max(MINUTE_MS, Math.floor(ms));
const FIRST_STEP_MS = 6 * 60 * MINUTE_MS;
/** No query ends in less. */
const LEAST_QUERY_MS = 2;
/** A step that takes less makes the next one longer. */
const SHORT_STEP_MS = 60;
const LONG_STEP_MS = 250;
/** The part of the time that is left after which a step is stopped, so that there is some for a shorter one. */
const STEP_LIMIT_PART = 0.6;
/** The part of it which a step is to take, by the pace of the one before. */
const STEP_AIM_PART = 0.5;

/**
 * Looks at a span in steps, newest first, for as long as the budget lasts; `look` returns whether that is enough.
 * Resolves with the beginning of what was looked at: that of the span where nothing is left out. A step whose query is
 * too slow is tried again as a shorter one.
 */
export async function walkSpans(
  { span, budgetMs, monotonicNow }: Walk,
  look: (part: Span, limitMs: number) => Promise<boolean>,
): Promise<number> {
  const until = monotonicNow() + budgetMs;
  let stepMs = FIRST_STEP_MS;
  let { toMs } = span;
  while (toMs > span.fromMs) {
    const startedAt = monotonicNow();
    const limitMs = (until - startedAt) * STEP_LIMIT_PART;
    if (limitMs < LEAST_QUERY_MS) return toMs;
    const part = { fromMs: Math.max(span.fromMs, toMs - stepMs), toMs };
    try {
      const isEnough = await look(part, limitMs);
      toMs = part.fromMs;
      if (isEnough) return toMs;
    } catch (error) {
      if (!(error instanceof SlowQueryError)) throw error;
      if (stepMs <= MINUTE_MS) return toMs;
      stepMs = toStep(stepMs / 8);
      continue;
    }
    const endedAt = monotonicNow();
    const tookMs = endedAt - startedAt;
    // A step that is stopped has cost its time for nothing.
    const affordableMs = ((part.toMs - part.fromMs) / Math.max(1, tookMs)) * (until - endedAt) * STEP_AIM_PART;
    if (tookMs < SHORT_STEP_MS) stepMs *= 4;
    else if (tookMs > LONG_STEP_MS) stepMs /= 2;
    stepMs = toStep(Math.min(stepMs, affordableMs));
  }
  return span.fromMs;
}
