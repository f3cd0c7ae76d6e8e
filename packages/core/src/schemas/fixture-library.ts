import { z } from 'zod';

const count = z.int();
const nullableString = z.string().nullable();

const fixtureStateSchema = z.object({
  /** `live`: calls go upstream, and nothing is written down. */
  mode: z.enum(['live', 'replay', 'record-missing', 'record-all']),
  /** What is recorded: answers of upstreams or of the gateway. Null while nothing is. */
  record_at: z.enum(['upstream', 'edge']).nullable(),
  /** Where the cases are. Null in the mode `live`. */
  dir: nullableString,
  /** Whether what is saved goes to that directory; else it is handed out to be put somewhere. */
  saves: z.boolean(),
  cases: count,
  /** Cases that have answered nothing since the start. */
  unused: count,
  /** Requests that no case answered, as many as are listed; the same one again counts once. */
  misses: count,
  sets: z.array(z.object({ name: z.string(), cases: count, unused: count })),
});

const fixtureCaseSchema = z.object({
  /** `<provider>/<operation>/<case>` below the directory. */
  path: z.string(),
  set: z.string(),
  model: z.string(),
  status: count,
  streamed: z.boolean(),
  /** Events of the streamed answer. Null where there is none. */
  chunks: count.nullable(),
  /** Answers given out one after the other. */
  answers: count,
  bytes: count,
  /** From the request to the last recorded piece. Null where no times were recorded. */
  duration_ms: z.number().nullable(),
  match: z.enum(['exact', 'rules', 'fallback']),
  synthetic: z.boolean(),
  date: z.string(),
  used: count,
  last_used_at: nullableString,
});

const fixtureCaseDetailSchema = fixtureCaseSchema.extend({
  request: z.unknown(),
  method: nullableString,
  request_path: nullableString,
  /** As `meta.json` has it. Null where the request has to be equal. */
  match_rules: z.unknown(),
  note: nullableString,
  versions: z.record(z.string(), z.string()).nullable(),
  /** Places where asterisks stand for a secret. Null for a case that was not recorded. */
  struck_out: count.nullable(),
  files: z.array(
    z.object({
      name: z.string(),
      status: count,
      headers: z.record(z.string(), z.string()),
      bytes: count,
      /** Null for what is no text. */
      text: nullableString,
      /** Whether `text` ends before the file does. */
      cut: z.boolean(),
    }),
  ),
});

const fixtureMissSchema = z.object({
  id: z.string(),
  first_at: z.string(),
  last_at: z.string(),
  times: count,
  method: nullableString,
  request_path: nullableString,
  model: nullableString,
  /** The beginning of the last text in it. */
  prompt: nullableString,
  /** The path of the case that comes closest. Null where there is none of the operation. */
  nearest: nullableString,
  /** Fields that differ from it. */
  differences: count,
});

const fixtureMissDetailSchema = fixtureMissSchema.extend({
  /** Null where it was too large to be kept. */
  request: z.unknown(),
  diff: z.array(
    z.object({
      field: z.string(),
      /** Null for a field that one of the two does not have, and where `detail` says it. */
      expected: nullableString,
      got: nullableString,
      detail: nullableString,
    }),
  ),
  /** Why it cannot be accepted as one more request that the nearest case answers; null where it can. */
  not_acceptable: nullableString,
});

const savedFixtureSchema = z.object({
  path: z.string(),
  /** Where it was written. Null: nowhere, and `files` holds it. */
  dir: nullableString,
  /** Why it was not written. */
  reason: nullableString,
  /** Whether it answers from now on, and not only after the next start. */
  answers_now: z.boolean(),
  files: z.array(z.object({ name: z.string(), text: z.string() })),
});

export const fixtureStateAnswerSchema = z.object({ data: fixtureStateSchema });
export const fixtureCaseListSchema = z.object({ data: z.array(fixtureCaseSchema), total_count: count });
export const fixtureCaseAnswerSchema = z.object({ data: fixtureCaseDetailSchema });
export const fixtureMissListSchema = z.object({ data: z.array(fixtureMissSchema), total_count: count });
export const fixtureMissAnswerSchema = z.object({ data: fixtureMissDetailSchema });
export const savedFixtureAnswerSchema = z.object({ data: savedFixtureSchema });

const MAX_LIMIT = 500;

/** The query of `GET /admin/v1/fixtures/cases`. */
export const fixtureCasesQuerySchema = z.object({
  /** `<provider>/<operation>` */
  set: z.string().optional(),
  /** Part of a path, a model or a note. */
  q: z.string().optional(),
  use: z.enum(['used', 'unused']).optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(100),
});

/** The query of `GET /admin/v1/fixtures/case`. */
export const fixtureCaseQuerySchema = z.object({
  path: z.string({ error: 'must be given, as the list has it' }).min(1, 'must have at least 1 character'),
});

/** The body of `POST /admin/v1/fixtures`. Closed. */
export const saveFixtureRequestSchema = z.strictObject({ generation_id: z.string().min(1).max(200) });

export type FixtureState = z.infer<typeof fixtureStateSchema>;
export type FixtureCaseRow = z.infer<typeof fixtureCaseSchema>;
export type FixtureCaseDetail = z.infer<typeof fixtureCaseDetailSchema>;
export type FixtureCasesQuery = z.infer<typeof fixtureCasesQuerySchema>;
export type FixtureMissRow = z.infer<typeof fixtureMissSchema>;
export type FixtureMissDetail = z.infer<typeof fixtureMissDetailSchema>;
export type SavedFixture = z.infer<typeof savedFixtureSchema>;
