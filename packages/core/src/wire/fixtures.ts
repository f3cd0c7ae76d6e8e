import { z } from 'zod';

import { wholeNumber } from './fields.ts';
import { generationExportQuerySchema } from './generation-list.ts';

const count = z.int();
const nullableString = z.string().nullable();

const fixtureModeSchema = z.enum(['live', 'replay', 'record-missing', 'record-all']);
export type FixtureMode = z.infer<typeof fixtureModeSchema>;

const fixtureStateSchema = z.object({
  /** `live`: calls go upstream, and nothing is recorded. */
  mode: fixtureModeSchema,
  /** The modes that it can be switched to while it runs. Empty where it cannot. */
  switches_to: z.array(fixtureModeSchema),
  /** Why it cannot be switched. Null where it can. */
  fixed_because: nullableString,
  /** While recording: since when, and the number of cases since then. Null otherwise. */
  recording: z.object({ since: z.string(), cases: count }).nullable(),
  /** The recorded side: responses of upstreams or of the gateway. Null while nothing is recorded. */
  record_at: z.enum(['upstream', 'edge']).nullable(),
  /** Folder of the cases; it may not exist before something is recorded. Null without one. */
  dir: nullableString,
  /** Whether a saved case is written to that directory; else it is returned to be saved elsewhere. */
  saves: z.boolean(),
  cases: count,
  /** Cases that have matched nothing since the start. */
  unused: count,
  /** Requests that no case matched, as many as are listed; a repeated one counts once. */
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
  /** Events of the streamed response. Null where there is none. */
  chunks: count.nullable(),
  /** Number of responses, which are returned one after the other. */
  answers: count,
  bytes: count,
  /** Time from the request to the last recorded piece. Null where no times were recorded. */
  duration_ms: z.number().nullable(),
  match: z.enum(['exact', 'rules', 'fallback']),
  synthetic: z.boolean(),
  date: z.string(),
  used: count,
  last_used_at: nullableString,
  /** When this process recorded it. Null where it did not. */
  recorded_at: nullableString,
});

const fixtureCaseDetailSchema = fixtureCaseSchema.extend({
  request: z.unknown(),
  method: nullableString,
  request_path: nullableString,
  /** The rules in `meta.json`. Null where the request has to be equal. */
  match_rules: z.unknown(),
  note: nullableString,
  versions: z.record(z.string(), z.string()).nullable(),
  /** Number of secrets that are replaced by asterisks. Null for a case that was not recorded. */
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

/** What a recorded response says, whatever the format of its provider. */
const readResponseSchema = z.object({
  text: z.string(),
  reasoning: z.string(),
  calls: z.array(z.object({ name: z.string(), arguments: z.string() })),
  /** The message of an error; null where there is none. */
  error: nullableString,
  finish: nullableString,
});
export type ReadResponse = z.infer<typeof readResponseSchema>;

const shownFixtureCaseSchema = fixtureCaseDetailSchema.extend({
  /** With what each says; null where it says nothing that could be shown as text. */
  files: z.array(fixtureCaseDetailSchema.shape.files.element.extend({ read: readResponseSchema.nullable() })),
});
export type ShownFixtureCase = z.infer<typeof shownFixtureCaseSchema>;

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
  /** The path of the nearest case. Null where there is none of the operation. */
  nearest: nullableString,
  /** Fields that differ from it. */
  differences: count,
});

const fixtureMissDetailSchema = fixtureMissSchema.extend({
  /** Null where it was too large to be stored. */
  request: z.unknown(),
  diff: z.array(
    z.object({
      field: z.string(),
      /** Null for a field that one of the two does not have, and where `detail` describes it. */
      expected: nullableString,
      got: nullableString,
      detail: nullableString,
    }),
  ),
  /** The reason why it cannot be added to the nearest case; null where it can. */
  not_acceptable: nullableString,
});

const savedFixtureSchema = z.object({
  path: z.string(),
  /** Folder that it was written to. Null: none, and `files` contains it. */
  dir: nullableString,
  /** Why it was not written. */
  reason: nullableString,
  /** Whether the case is active now, and not only after the next start. */
  answers_now: z.boolean(),
  files: z.array(z.object({ name: z.string(), text: z.string() })),
  /** How many secrets and personal data were taken out; absent where nothing was to be. */
  scrubbed: count.optional(),
});

export const fixtureStateResponseSchema = z.object({ data: fixtureStateSchema });
export const fixtureCaseListSchema = z.object({ data: z.array(fixtureCaseSchema), total_count: count });
export const fixtureCaseResponseSchema = z.object({ data: shownFixtureCaseSchema });
export const fixtureMissListSchema = z.object({ data: z.array(fixtureMissSchema), total_count: count });
export const fixtureMissResponseSchema = z.object({ data: fixtureMissDetailSchema });
export const savedFixtureResponseSchema = z.object({ data: savedFixtureSchema });

const MAX_LIMIT = 500;

/** The query of `GET /admin/v1/fixtures/cases`. */
export const fixtureCasesQuerySchema = z.object({
  /** `<provider>/<operation>` */
  set: z.string().optional(),
  /** Part of a path, a model or a note. */
  q: z.string().optional(),
  use: z.enum(['used', 'unused']).optional(),
  /** Recorded by this process at this moment or later. */
  recorded_since: z.iso
    .datetime({ offset: true, error: 'must be a time, e.g. 2026-03-01T00:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional(),
  offset: wholeNumber(0).default(0),
  limit: wholeNumber(1, MAX_LIMIT).default(100),
});

/** The query of `GET /admin/v1/fixtures/case`. */
export const fixtureCaseQuerySchema = z.object({
  path: z.string({ error: 'must be given, as the list has it' }).min(1, 'must have at least 1 character'),
});

/** The body of `PATCH /admin/v1/fixtures`. Closed. */
export const switchFixtureModeRequestSchema = z.strictObject({ mode: fixtureModeSchema });

/** The body of `POST /admin/v1/fixtures`. Closed. */
export const saveFixtureRequestSchema = z.strictObject({
  generation_id: z.string().min(1).max(200),
  /** Takes secrets and personal data out of request and response. */
  scrub: z.boolean().optional(),
  /** Returns the files, and writes none. */
  hand_out: z.boolean().optional(),
});

/** The programs that a suite of cases can be written for. */
const FIXTURE_SUITES = ['vitest', 'jest', 'node', 'pytest'] as const;
export type FixtureSuite = (typeof FIXTURE_SUITES)[number];

const MOST_EXPORTED = 1000;

/** The query of `GET /admin/v1/fixtures/export`. Closed. */
export const exportFixturesQuerySchema = generationExportQuerySchema.omit({ format: true, content: true }).extend({
  /** Ids of generations, separated by commas, in the place of the filter. */
  ids: z.string().max(50_000).optional(),
  /** How many generations, the latest ones. */
  last: wholeNumber(1, MOST_EXPORTED).default(50),
  /** Adds a suite that runs the cases. */
  suite: z.enum(FIXTURE_SUITES, `must be one of ${FIXTURE_SUITES.join(', ')}`).optional(),
});

export type FixtureState = z.infer<typeof fixtureStateSchema>;
export type FixtureCaseRow = z.infer<typeof fixtureCaseSchema>;
export type FixtureCaseDetail = z.infer<typeof fixtureCaseDetailSchema>;
export type FixtureCasesQuery = z.infer<typeof fixtureCasesQuerySchema>;
export type FixtureMissRow = z.infer<typeof fixtureMissSchema>;
export type FixtureMissDetail = z.infer<typeof fixtureMissDetailSchema>;
export type SavedFixture = z.infer<typeof savedFixtureSchema>;
