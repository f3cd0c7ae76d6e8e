import type { BroadcastTrace, DestinationConfig, DestinationFormat, DestinationRequest } from '@model-gateway/core';

import { OF_TEST, toHeaders } from './otlp.ts';

/** A call as a row of a table; docs/destinations.md has the tables. Times are ISO 8601 in UTC. */
function toRow(trace: BroadcastTrace): Readonly<Record<string, unknown>> {
  const { tokens, identity, content } = trace;
  return {
    generation_id: trace.generationId,
    trace_id: trace.givenTraceId,
    session_id: trace.sessionId,
    name: trace.spanName,
    operation: trace.operation,
    model: trace.model,
    requested_model: trace.requestedModel,
    provider: trace.providerName,
    started_at: new Date(trace.startedAt).toISOString(),
    ended_at: new Date(trace.endedAt).toISOString(),
    first_token_ms: trace.firstTokenMs,
    finish_reason: trace.finishReason,
    is_failed: trace.isFailed,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    cached_tokens: tokens.cached,
    reasoning_tokens: tokens.reasoning,
    cost_usd: trace.costUsd,
    api_key_name: identity?.apiKeyName ?? null,
    user_id: identity?.user ?? null,
    metadata: JSON.stringify(trace.metadata),
    input: content === null ? null : JSON.stringify(content.input),
    output: content === null ? null : JSON.stringify(content.output),
  };
}

/** ClickHouse over HTTP: a row for each call. A table that replaces rows of the same id has each of them once. */
export const clickhouseFormat: DestinationFormat<'clickhouse'> = {
  type: 'clickhouse',
  async toRequests(traces, config) {
    const rows = traces.map((trace) => `${JSON.stringify(toRow(trace))}\n`).join('');
    const query = `INSERT INTO ${quote(config.table, '`')} FORMAT JSONEachRow`;
    return [toQuery(query, rows, config)];
  },
  async toTestRequest(config) {
    return toQuery(`SELECT 1 FROM ${quote(config.table, '`')} LIMIT 0`, '', config, OF_TEST);
  },
};

function toQuery(
  query: string,
  body: string,
  { host, database, username, password, headers }: DestinationConfig<'clickhouse'>,
  further: Readonly<Record<string, string>> = {},
): DestinationRequest {
  const url = new URL(host);
  const settings = { date_time_input_format: 'best_effort', input_format_skip_unknown_fields: '1' };
  for (const [name, value] of Object.entries({ database, query, ...settings })) url.searchParams.set(name, value);
  const own = { 'x-clickhouse-user': username, 'x-clickhouse-key': password, ...further };
  return { method: 'POST', url: url.href, headers: toHeaders(headers, own), body };
}

/** Snowflake's SQL API with a programmatic access token: rows that are not there yet, in one statement. */
export const snowflakeFormat: DestinationFormat<'snowflake'> = {
  type: 'snowflake',
  async toRequests(traces, config) {
    const { database, schema, table } = config;
    const name = [database, schema, table].map((part) => quote(part, '"')).join('.');
    const statement =
      `MERGE INTO ${name} AS t USING (SELECT value:generation_id::STRING AS id, value AS record ` +
      'FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?)))) AS s ON t.GENERATION_ID = s.id ' +
      'WHEN NOT MATCHED THEN INSERT (GENERATION_ID, RECORD) VALUES (s.id, s.record)';
    const rows = JSON.stringify(traces.map(toRow));
    return [toStatement({ statement, bindings: { 1: { type: 'TEXT', value: rows } } }, config)];
  },
  async toTestRequest(config) {
    return toStatement({ statement: 'SELECT 1' }, config, OF_TEST);
  },
};

function toStatement(
  statement: object,
  { account, token, warehouse, headers }: DestinationConfig<'snowflake'>,
  further: Readonly<Record<string, string>> = {},
): DestinationRequest {
  const own = {
    authorization: `Bearer ${token}`,
    'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
    accept: 'application/json',
    ...further,
  };
  return {
    method: 'POST',
    url: `https://${account}.snowflakecomputing.com/api/v2/statements`,
    headers: toHeaders(headers, own),
    body: JSON.stringify({ ...statement, warehouse, timeout: 15 }),
  };
}

/** A name in a statement, as its owner has written it. A backslash would begin an escape in ClickHouse. */
function quote(name: string, mark: '`' | '"'): string {
  const escaped = mark === '`' ? name.replaceAll('\\', '\\\\') : name;
  return `${mark}${escaped.replaceAll(mark, mark + mark)}${mark}`;
}
