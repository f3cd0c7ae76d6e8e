import { z } from 'zod';

import { pageQuerySchema } from './fields.ts';
import { generationFilterSchema } from './generation-list.ts';
import { FORMATS } from './routing-rules.ts';

/** The most calls that one rerun makes, judges not counted: its rows are held in memory while it runs. */
export const MAX_RERUN_CALLS = 10_000;
const MAX_ITEMS = 5000;
const MAX_TEXT = 100_000;
/** Characters of all requests that are uploaded for one rerun. */
const MAX_UPLOAD = 8_000_000;

const RERUN_STATES = ['estimating', 'ready', 'running', 'paused', 'done', 'failed', 'cancelled'] as const;
export type RerunState = (typeof RERUN_STATES)[number];
const RERUN_ITEM_STATES = ['pending', 'running', 'done', 'failed'] as const;
const RERUN_VERDICTS = ['win', 'tie', 'loss'] as const;
/** How the new completion did against the original. */
export type RerunVerdict = (typeof RERUN_VERDICTS)[number];

const modelSchema = z.string().min(1, 'must not be empty').max(200);
const textSchema = z.string().min(1, 'must not be empty').max(MAX_TEXT);

/** What the calls are run again against. Closed. */
const targetSchema = z.strictObject({
  model: modelSchema,
  /** Slug of the only provider that may serve it. */
  provider: z.string().min(1, 'must not be empty').max(100).optional(),
  /** Slug of a preset of the workspace that pays; it is put over each request, before everything else here. */
  preset: z.string().min(1, 'must not be empty').max(100).optional(),
  /** Default: the one that calls use when the rerun is created. */
  preset_version: z.int().min(1).optional(),
  /** Put over the members of each request, in the words of its own format; null takes a member out. */
  parameters: z.record(z.string(), z.unknown()).optional(),
  /** Replaces the system prompt of each request, or is added at its end. */
  system: z.union([z.strictObject({ replace: textSchema }), z.strictObject({ append: textSchema })]).optional(),
});
export type RerunTarget = z.infer<typeof targetSchema>;

const askedTargetSchema = targetSchema
  .extend({
    /** Default: the one of the preset. */
    model: modelSchema.optional(),
  })
  .refine(({ model, preset }) => model !== undefined || preset !== undefined, {
    path: ['model'],
    message: 'must name a model, or the target a preset',
  })
  .refine(({ preset, preset_version: version }) => version === undefined || preset !== undefined, {
    path: ['preset_version'],
    message: 'is of no use without a preset',
  });
export type AskedRerunTarget = z.infer<typeof askedTargetSchema>;

const judgeSchema = z.discriminatedUnion('type', [
  /** The completions are the same JSON. */
  z.strictObject({ type: z.literal('json_equal') }),
  /** The completion is JSON that fits this schema, or else the one that its request asks for. */
  z.strictObject({ type: z.literal('schema_valid'), schema: z.record(z.string(), z.unknown()).optional() }),
  /** The same tools are called, with the same arguments as JSON. */
  z.strictObject({ type: z.literal('same_tool_calls') }),
  /** The completion has a match of this pattern (RE2). */
  z.strictObject({ type: z.literal('regex'), pattern: z.string().min(1, 'must not be empty').max(1000) }),
  /** Its length, divided by that of the original, is within these. */
  z.strictObject({
    type: z.literal('length'),
    min_ratio: z.number().min(0).max(1).default(0.5),
    max_ratio: z.number().min(1).max(100).default(2),
  }),
  /** A function of the application that embeds the gateway. */
  z.strictObject({ type: z.literal('custom'), name: z.string().min(1, 'must not be empty').max(100) }),
  /** A model compares both by a rubric, without their names, and once in each order. */
  z.strictObject({ type: z.literal('model'), model: modelSchema, rubric: z.string().min(1).max(20_000) }),
]);
export type RerunJudgeSpec = z.infer<typeof judgeSchema>;

/** A line of an upload. */
export const uploadedItemSchema = z.strictObject({
  request: z.strictObject({ format: z.enum(FORMATS).default('chat'), body: z.record(z.string(), z.unknown()) }),
  /** What the new completions are compared with. */
  completion: z
    .strictObject({
      text: z.string().nullable().default(null),
      tool_calls: z
        .array(z.strictObject({ name: z.string(), arguments: z.string() }))
        .max(100)
        .default([]),
    })
    .optional(),
});
export type UploadedItem = z.infer<typeof uploadedItemSchema>;

/** A case of a folder of fixtures. */
const fixtureCaseSchema = z.strictObject({
  /** `<provider>/<operation>/<case>` */
  path: z.string().min(1, 'must not be empty').max(1000),
  request: z.record(z.string(), z.unknown()),
  /** Its response as it is in its file, JSON or a stream. */
  response: z.string().max(MAX_UPLOAD).nullable().default(null),
});
export type RerunFixtureCase = z.infer<typeof fixtureCaseSchema>;

/** The calls to run again. */
const setSchema = z.union([
  z.strictObject({
    generation_ids: z.array(z.string().min(1).max(200)).min(1, 'must name a generation').max(MAX_ITEMS),
  }),
  /** As in the list of generations; the newest that match now. */
  z.strictObject({ filter: generationFilterSchema, limit: z.int().min(1).max(MAX_ITEMS).default(100) }),
  /** NDJSON, a request a line: `{"request":{"format":"chat","body":{…}}}`. */
  z.strictObject({ ndjson: z.string().min(1, 'must not be empty').max(MAX_UPLOAD) }),
  /** Cases of the gateway's own fixtures, those of a set or with this in their path, model or note. */
  z.strictObject({ fixtures: z.strictObject({ set: z.string().max(200), q: z.string().max(200) }).partial() }),
  /** Uploaded cases. */
  z.strictObject({ fixture_cases: z.array(fixtureCaseSchema).min(1, 'must have a case').max(MAX_ITEMS) }),
]);
export type RerunSet = z.infer<typeof setSchema>;

const planShape = {
  set: setSchema,
  targets: z.array(askedTargetSchema).min(1, 'must have at least 1 target').max(8),
  judges: z.array(judgeSchema).max(10).default([]),
};

/** Hash of the API key whose budgets, guardrails and presets hold. Default: the key that creates the rerun. */
const payerSchema = z.string().min(1).max(200).optional();

/** Body of `POST /admin/v1/reruns/estimate`. Closed. */
export const estimateRerunRequestSchema = z.strictObject({ ...planShape, run_as_key: payerSchema });

const maxCostSchema = z.number('must be USD, e.g. 2.5').gt(0, 'must be above 0').max(1_000_000);

/** Body of `POST /admin/v1/reruns`. Closed. */
export const createRerunRequestSchema = z.strictObject({
  ...planShape,
  name: z.string().trim().min(1, 'must not be empty').max(100).optional(),
  concurrency: z.int().min(1).max(32).default(4),
  /** USD that all its calls may cost together, those of judges included. */
  max_cost_usd: maxCostSchema,
  run_as_key: payerSchema,
  /** False leaves it at `ready`, for `resume`. */
  start: z.boolean().default(true),
});
export type CreateRerunRequest = z.infer<typeof createRerunRequestSchema>;

/** Body of `POST /admin/v1/reruns/{id}/resume`. Closed. */
export const resumeRerunRequestSchema = z.strictObject({ max_cost_usd: maxCostSchema.optional() });

/** Body of `PUT /admin/v1/reruns/{id}/items/{item}`. Closed. */
export const judgeItemRequestSchema = z.strictObject({
  /** Null takes the verdict of the person back. */
  verdict: z.enum(RERUN_VERDICTS).nullable(),
  note: z.string().max(2000).nullable().default(null),
});

export const rerunListQuerySchema = pageQuerySchema.strict();

/** The query of `GET /admin/v1/reruns/{id}/items`. */
export const rerunItemsQuerySchema = pageQuerySchema.extend({ target: z.string().regex(/^\d$/).optional() }).strict();

export const rerunExportQuerySchema = z.strictObject({ format: z.enum(['csv', 'ndjson']).default('ndjson') });

const usd = z.number();

const countsSchema = z.object({
  total: z.int(),
  pending: z.int(),
  running: z.int(),
  done: z.int(),
  failed: z.int(),
});
export type RerunCounts = z.infer<typeof countsSchema>;

const rerunSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  state: z.enum(RERUN_STATES),
  /** Why it is paused or has failed; null otherwise. */
  reason: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  /** The API key that pays; null where its calls count for the key that created it. */
  run_as_key: z.object({ hash: z.string(), name: z.string() }).nullable(),
  items: z.int(),
  targets: z.array(targetSchema),
  judges: z.array(judgeSchema),
  concurrency: z.int(),
  max_cost_usd: usd,
  /** The cost of all calls so far, those of judges and the lost ones included. */
  spent_usd: usd,
  judge_cost_usd: usd,
  /** The most that calls may have cost whose result was lost with their process; a part of `spent_usd`. */
  lost_usd: usd,
  counts: countsSchema,
});
export type Rerun = z.infer<typeof rerunSchema>;

const shareSchema = z.object({
  count: z.int(),
  share: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
const outcomesSchema = z.object({ win: shareSchema, tie: shareSchema, loss: shareSchema, judged: z.int() });
export type RerunOutcomes = z.infer<typeof outcomesSchema>;

const figuresSchema = z.object({
  cost_usd: usd,
  latency_p50_ms: z.number().nullable(),
  latency_p95_ms: z.number().nullable(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});

const targetReportSchema = z.object({
  target: z.int(),
  model: z.string(),
  provider: z.string().nullable(),
  preset: z.string().nullable(),
  preset_version: z.int().nullable(),
  done: z.int(),
  errors: z.int(),
  /** The most frequent reasons of its errors. */
  error_reasons: z.array(z.object({ reason: z.string(), count: z.int() })),
  /** Against the originals, with 95 % bootstrap intervals. */
  outcomes: outcomesSchema,
  judges: z.array(z.object({ judge: z.string(), win: z.int(), tie: z.int(), loss: z.int() })),
  figures: figuresSchema,
  /** The figures of the same calls as they were. */
  original_figures: figuresSchema,
  judge_cost_usd: usd,
});
export type RerunTargetReport = z.infer<typeof targetReportSchema>;

export const rerunResponseSchema = z.object({ data: rerunSchema });
export const rerunListSchema = z.object({ data: z.array(rerunSchema), total_count: z.int() });
export const rerunReportSchema = z.object({ data: rerunSchema.extend({ results: z.array(targetReportSchema) }) });

const verdictSchema = z.object({
  judge: z.string(),
  /** Null: it could not be told. */
  verdict: z.enum(RERUN_VERDICTS).nullable(),
  note: z.string().nullable(),
});
export type RerunJudgement = z.infer<typeof verdictSchema>;

const completionSchema = z.object({
  text: z.string().nullable(),
  tool_calls: z.array(z.object({ name: z.string(), arguments: z.string() })),
});
export type RerunCompletion = z.infer<typeof completionSchema>;

const itemSchema = z.object({
  /** For `PUT /admin/v1/reruns/{id}/items/{item}`. */
  item: z.string(),
  target: z.int(),
  state: z.enum(RERUN_ITEM_STATES),
  reason: z.string().nullable(),
  original_generation_id: z.string().nullable(),
  generation_id: z.string().nullable(),
  /** The verdict that counts: that of a person, or else of the judges together. */
  verdict: z.enum(RERUN_VERDICTS).nullable(),
  verdicts: z.array(verdictSchema),
  person: z.object({ verdict: z.enum(RERUN_VERDICTS), note: z.string().nullable(), by: z.string() }).nullable(),
  cost_usd: usd.nullable(),
  latency_ms: z.number().nullable(),
});
export type RerunItem = z.infer<typeof itemSchema>;

export const rerunItemResponseSchema = z.object({ data: itemSchema });

/** Null: there is none, or it is not stored any more. */
const pairSchema = itemSchema.extend({
  original: completionSchema.nullable(),
  completion: completionSchema.nullable(),
});
export type RerunPair = z.infer<typeof pairSchema>;
export const rerunPairsSchema = z.object({ data: z.array(pairSchema), total_count: z.int() });
export const rerunExportSchema = pairSchema.describe('One line.');

export const rerunEstimateSchema = z.object({
  data: z.object({
    items: z.int(),
    /** Items whose requests are not stored. */
    without_request: z.int(),
    /** The tokens of the originals, as their records say. */
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    targets: z.array(
      z.object({
        model: z.string(),
        provider: z.string().nullable(),
        preset: z.string().nullable(),
        /** With the tokens of the originals, at the cheapest endpoint; null where a price or the tokens are not known. */
        typical_usd: usd.nullable(),
        /** What is reserved call by call; null where a call has no bound. */
        worst_usd: usd.nullable(),
      }),
    ),
    typical_usd: usd.nullable(),
    worst_usd: usd.nullable(),
  }),
});
export type RerunEstimate = z.infer<typeof rerunEstimateSchema>['data'];
