import { toGenerationFacts } from '@model-gateway/core';

import { toColumnId, toColumnText, toFactText } from '../../connection/column-text.ts';
import type { PendingRecord } from './pending-record.ts';
import type { RowArrays } from './row-arrays.ts';

/** Adds a record in the order of `GIVEN_TYPES`. */
export function putRow(rows: RowArrays, { id, day, record, text, content }: PendingRecord): void {
  const { generation, principalId, userId, costNanoUsd } = record;
  const facts = toGenerationFacts(record);
  rows.row();
  rows.date(day);
  rows.text(toColumnId(id));
  rows.bigint(facts.createdAtMs);
  rows.text(text);
  rows.text(toFactText(facts.model));
  rows.text(toFact(facts.providerName));
  rows.text(toFact(generation.provider_responses?.at(-1)?.endpoint_id ?? ''));
  rows.text(toFact(facts.sessionId));
  rows.text(facts.status);
  rows.text(toColumnId(principalId));
  rows.text(userId === undefined ? null : toColumnId(userId));
  rows.text(generation.workspace_id === null ? null : toColumnId(generation.workspace_id));
  rows.text(toFact(facts.app));
  rows.bigint(costNanoUsd);
  rows.boolean(facts.isCostKnown);
  rows.boolean(generation.is_byok);
  rows.integer(facts.promptTokens);
  rows.integer(facts.completionTokens);
  rows.integer(generation.native_tokens_reasoning);
  rows.double(facts.firstTokenMs);
  rows.double(facts.latencyMs);
  rows.double(facts.durationMs);
  rows.double(facts.tokensPerSecond);
  rows.smallint(facts.attempts);
  rows.boolean(facts.isStreamed);
  rows.text(toText(facts.finishReason));
  rows.text(toText(facts.userAgent));
  rows.text(toText(facts.externalUser));
  rows.texts(facts.errors.map(toColumnText));
  rows.text(content?.text ?? null);
  rows.text(content === null || content.preview === null ? null : toColumnText(content.preview));
}

/** What indexes hold is short there; the record has the whole text. */
const toFact = (text: string | null): string | null => (text === null ? null : toFactText(text));
const toText = (text: string | null): string | null => (text === null ? null : toColumnText(text));
