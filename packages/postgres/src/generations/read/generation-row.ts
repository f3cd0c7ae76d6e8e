import {
  type GenerationFacts,
  type GenerationRecord,
  type GenerationStatus,
  toAttemptFacts,
} from '@model-gateway/core';
import { sql } from 'kysely';

import { fromColumnId } from '../../connection/column-text.ts';

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
    'prompt_tokens completion_tokens first_token_ms duration_ms tokens_per_second attempts latency_ms is_streamed',
    'finish_reason user_agent external_user errors',
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
