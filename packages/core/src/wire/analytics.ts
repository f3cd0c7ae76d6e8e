import { z } from 'zod';

import { momentSchema } from './fields.ts';

/** How a value is written: a share as a percentage, milliseconds, tokens per second. */
const DISPLAY_FORMATS = ['number', 'currency', 'percent', 'latency', 'throughput'] as const;

/** Each metric with its label, its format, and whether it is a rate, which is not added up. */
const METRICS = {
  request_count: ['Requests', 'number', false],
  error_count: ['Failed requests', 'number', false],
  cancelled_count: ['Cancelled requests', 'number', false],
  tokens_total: ['Tokens', 'number', false],
  tokens_prompt: ['Prompt tokens', 'number', false],
  tokens_completion: ['Completion tokens', 'number', false],
  reasoning_tokens: ['Reasoning tokens', 'number', false],
  cached_tokens: ['Cached prompt tokens', 'number', false],
  byok_request_count: ['Requests with own provider keys', 'number', false],
  guardrail_invoked_count: ['Requests that guardrails acted on', 'number', false],
  response_cached_count: ['Responses from the cache', 'number', false],
  total_usage: ['Cost', 'currency', false],
  credits_usage: ['Cost paid with credits', 'currency', false],
  byok_usage: ['Cost paid to providers directly', 'currency', false],
  openrouter_usage: ['Cost without own provider keys', 'currency', false],
  avg_latency: ['Mean latency', 'latency', true],
  p50_latency: ['Median latency', 'latency', true],
  p90_latency: ['90th percentile of the latency', 'latency', true],
  p99_latency: ['99th percentile of the latency', 'latency', true],
  avg_throughput: ['Mean throughput', 'throughput', true],
  p50_throughput: ['Median throughput', 'throughput', true],
  p90_throughput: ['90th percentile of the throughput', 'throughput', true],
  p99_throughput: ['99th percentile of the throughput', 'throughput', true],
  error_rate: ['Share of failed requests', 'percent', true],
  cache_hit_rate: ['Share of cached prompt tokens', 'percent', true],
  guardrail_invoked_rate: ['Share of requests that guardrails acted on', 'percent', true],
  response_cached_rate: ['Share of responses from the cache', 'percent', true],
} as const satisfies Readonly<Record<string, readonly [string, (typeof DISPLAY_FORMATS)[number], boolean]>>;

/** Each dimension with its label, and whether some generations have no value of it. */
const DIMENSIONS = {
  model: ['Model', false],
  provider: ['Provider', true],
  api_key_id: ['API key', false],
  user: ['Member', true],
  workspace: ['Workspace', false],
  app: ['App', true],
  origin: ['Origin', true],
  finish_reason: ['Finish reason', true],
  external_user: ['External user', true],
  status: ['Status', false],
  api_type: ['Kind of call', false],
} as const satisfies Readonly<Record<string, readonly [string, boolean]>>;

const OPERATORS = {
  eq: 'scalar',
  neq: 'scalar',
  in: 'array',
  not_in: 'array',
  gt: 'scalar',
  gte: 'scalar',
  lt: 'scalar',
  lte: 'scalar',
} as const;

const GRANULARITIES = { minute: 'Minute', hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } as const;

export type Metric = keyof typeof METRICS;
export type Dimension = keyof typeof DIMENSIONS;
export type Granularity = keyof typeof GRANULARITIES;

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(table) as Name[];
const entriesOf = <Name extends string, Value>(table: Readonly<Record<Name, Value>>): readonly [Name, Value][] =>
  Object.entries(table) as [Name, Value][];

/** The `data` of `GET /analytics/meta`: every name that a query may use. */
export const ANALYTICS_META: z.infer<typeof analyticsMetaSchema>['data'] = {
  metrics: entriesOf(METRICS).map(([name, [label, format, isRate]]) => ({
    name,
    display_label: label,
    is_rate: isRate,
    display_format: format,
  })),
  dimensions: entriesOf(DIMENSIONS).map(([name, [label]]) => ({ name, display_label: label })),
  operators: entriesOf(OPERATORS).map(([name, type]) => ({ name, value_type: type })),
  granularities: entriesOf(GRANULARITIES).map(([name, label]) => ({ name, display_label: label })),
};

const nameOf = <Name extends string>(what: string, table: Readonly<Record<Name, unknown>>) =>
  z.enum(namesOf(table), {
    error: ({ input }) => `${JSON.stringify(input)?.slice(0, 100)} is not ${what}; GET /analytics/meta lists them`,
  });

const metricName = nameOf('a metric', METRICS);
const dimensionName = nameOf('a dimension', DIMENSIONS);
const scalar = z.union([z.string().max(1000), z.number()]);

const filterSchema = z
  .strictObject({
    field: dimensionName,
    operator: nameOf('an operator', OPERATORS),
    value: z.union([scalar, z.array(scalar).min(1).max(1000)]),
    /** With `in` and `not_in`: whether generations without a value match, too. */
    include_unset: z.boolean().optional(),
  })
  .superRefine(({ field, operator, value, include_unset: includesUnset }, { addIssue }) => {
    const wants = OPERATORS[operator];
    const refuse = (name: string, message: string): void => addIssue({ code: 'custom', path: [name], message });
    if (wants === 'array' && !Array.isArray(value)) refuse('value', `must be a list with the operator ${operator}`);
    if (wants === 'scalar' && Array.isArray(value))
      refuse('value', `must be one text or number with the operator ${operator}`);
    if (includesUnset === undefined) return;
    if (wants === 'scalar') refuse('include_unset', 'is for the operators in and not_in alone');
    if (!DIMENSIONS[field][1]) refuse('include_unset', `every generation has a value of ${field}`);
  });
export type AnalyticsFilter = z.infer<typeof filterSchema>;

const MAX_ROWS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 366;
/** Milliseconds that one of them takes at least. */
const LEAST_MS: Readonly<Record<Granularity, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
};
const noClassifiers = z.never({ error: 'is not supported: this gateway has no classifiers' }).optional();

/** The body of `POST /analytics/query`. Closed: a filter that was ignored would change every number. */
export const analyticsQuerySchema = z
  .strictObject({
    metrics: z.array(metricName).min(1).max(50),
    dimensions: z.array(dimensionName).max(2).default([]),
    filters: z.array(filterSchema).max(20).default([]),
    granularity: nameOf('a granularity', GRANULARITIES).optional(),
    /** Rows for each combination of values of the dimensions. */
    group_limit: z.int().min(1).max(MAX_ROWS).optional(),
    /** Rows in all. Default: 1,000, more where a series by time needs them. */
    limit: z.int().min(1).max(MAX_ROWS).optional(),
    order_by: z.strictObject({ field: z.string().max(100), direction: z.enum(['asc', 'desc']) }).optional(),
    /** Begins at `start` and ends before `end`. Default: the last 7 days. */
    time_range: z.strictObject({ start: momentSchema, end: momentSchema }).optional(),
    classifier_dimensions: noClassifiers,
    classifier_filters: noClassifiers,
  })
  .superRefine((query, { addIssue }) => {
    const { metrics, dimensions, granularity, order_by: order, time_range: range } = query;
    const refuse = (path: string[], message: string): void => addIssue({ code: 'custom', path, message });
    if (new Set(dimensions).size < dimensions.length) refuse(['dimensions'], 'must not name a dimension twice');
    const names: readonly string[] = [...metrics, 'request_count', ...dimensions];
    if (order?.field === 'date' && granularity === undefined)
      refuse(['order_by', 'field'], 'can be "date" with a granularity alone');
    else if (order !== undefined && order.field !== 'date' && !names.includes(order.field))
      refuse(['order_by', 'field'], 'must be one of the metrics or dimensions of the query, or "date"');
    if (range === undefined) return;
    const spanMs = range.end - range.start;
    if (spanMs <= 0) refuse(['time_range', 'end'], 'must be after start');
    if (spanMs > MAX_DAYS * DAY_MS) refuse(['time_range'], `must be at most ${MAX_DAYS} days`);
    else if (granularity !== undefined && spanMs / LEAST_MS[granularity] > MAX_ROWS)
      refuse(['granularity'], `must be coarser: the time range has more than ${MAX_ROWS} of it`);
  });
export type AnalyticsQuery = z.infer<typeof analyticsQuerySchema>;

const labelled = { display_label: z.string() };

export const analyticsMetaSchema = z.object({
  data: z.object({
    metrics: z.array(
      z.object({
        name: metricName,
        ...labelled,
        is_rate: z.boolean(),
        display_format: z.enum(DISPLAY_FORMATS),
      }),
    ),
    dimensions: z.array(z.object({ name: dimensionName, ...labelled })),
    operators: z.array(z.object({ name: z.enum(namesOf(OPERATORS)), value_type: z.enum(['scalar', 'array']) })),
    granularities: z.array(z.object({ name: z.enum(namesOf(GRANULARITIES)), ...labelled })),
  }),
});

export const analyticsResponseSchema = z.object({
  data: z.object({
    /** Each with its metrics, its dimensions, and, with a granularity, `date__day` and so on: the beginning in UTC. */
    data: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    metadata: z.object({
      row_count: z.int(),
      query_time_ms: z.number(),
      /** Whether a limit has left rows out. */
      truncated: z.boolean(),
    }),
    warnings: z.array(z.string()).optional(),
  }),
});
