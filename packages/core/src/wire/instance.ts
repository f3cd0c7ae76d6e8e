import { z } from 'zod';

/**
 * What is wrong with a process that responds: it is ending; it takes no calls before its store is ready; its database is
 * away, and calls go on; what processes share is away, and each goes by what it knows itself; generations could not be
 * recorded since the start.
 */
const troubleSchema = z.enum(['closing', 'store_not_ready', 'store_away', 'shared_away', 'unrecorded']);
export type Trouble = z.infer<typeof troubleSchema>;

/** The response of `GET /health`. `degraded`: some generations could not be recorded since the start. */
export const healthSchema = z.object({ status: z.enum(['ok', 'degraded']), trouble: troubleSchema.optional() });
export type Health = z.infer<typeof healthSchema>;

/** What holds the rows of a store, or what processes share. */
const engineSchema = z.object({
  /** `postgres`, `redis`, `json` for files, `memory`, or a word of the host's own. */
  type: z.string(),
  /** A directory, or host and port, without a user and a password. */
  address: z.string().nullable(),
  database: z.string().nullable(),
  /** Why it does not respond at the moment; null while it does. */
  outage: z.string().nullable(),
});

/** The response of `GET /admin/v1/instance`: the process that responds. Null is what its host does not tell. */
export const instanceSchema = z.object({
  data: z.object({
    /** Another with every start. */
    id: z.string(),
    version: z.string().nullable(),
    host: z.string().nullable(),
    process_id: z.int().nullable(),
    worker: z.object({ number: z.int(), of: z.int() }).nullable(),
    trouble: troubleSchema.nullable(),
    /** What is wrong, for operators. */
    reason: z.string().nullable(),
    store: engineSchema.nullable(),
    shared: engineSchema.nullable(),
  }),
});
export type Instance = z.infer<typeof instanceSchema>['data'];

/** The response of `GET /ready`, unless it is an error. */
export const readinessSchema = z.object({ status: z.literal('ready') });
