import { z } from 'zod';

import { wholeNumber } from './fields.ts';

/** What a record of the audit log is about. The part of an action before its dot is one of these. */
export const AUDIT_TARGETS = [
  'key',
  'guardrail',
  'member',
  'group',
  'group_mapping',
  'settings',
  'rate_limits',
  'call_limits',
  'alarm',
  'retention',
  'provider',
  'byok',
  'model',
  'catalog',
  'workspace',
  'budget',
  'destination',
  'delivery',
  'webhook',
  'prompt',
  'preset',
  'view',
  'generation',
  'response',
  'rerun',
  'video',
  'file',
  'batch',
  'fixture',
  'sample_data',
  'session',
  'config',
  'audit',
  'administration',
] as const;
export type AuditTargetKind = (typeof AUDIT_TARGETS)[number];

/** `key.create`: the kind of the target, and what was done. */
export type AuditAction = `${AuditTargetKind}.${string}`;

const nullableString = z.string().nullable();

/** Fields by name; secrets are fingerprints. */
const fieldsSchema = z.record(z.string(), z.unknown()).nullable();

/** A record before it is in the chain. */
export const auditEntrySchema = z.object({
  id: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  action: z.string(),
  actor: z.object({
    /**
     * `session`: a browser that is signed in. `cli`: a command on the gateway's machine. `config`: the configuration.
     * `host`: somebody whom the application around the gateway has signed in. `scim`: the company's directory.
     * `unknown`: nobody who could be told.
     */
    kind: z.enum(['key', 'session', 'cli', 'config', 'host', 'scim', 'unknown']),
    /** The hash of a key, or the fingerprint of a session. */
    id: nullableString,
    name: nullableString,
    member: nullableString,
    /** The hash of the key that a session was opened with. */
    key: nullableString,
  }),
  from: z.object({ address: nullableString, user_agent: nullableString }),
  target: z.object({
    kind: z.enum(AUDIT_TARGETS),
    id: nullableString,
    name: nullableString,
    workspace: nullableString,
  }),
  /** The fields that have changed, as they were; all of what was deleted. Null where nothing was. */
  before: fieldsSchema,
  /** The fields that have changed, as they are; all of what was made. Null where nothing is. */
  after: fieldsSchema,
  outcome: z.enum(['done', 'refused']),
  /** Why it was refused, or what failed after the change: the name of an error. */
  reason: nullableString,
  /** How often the same was refused since the record before; 1 for all else. */
  count: z.int(),
});
export type AuditEntry = Readonly<z.infer<typeof auditEntrySchema>>;

/** A record in the chain. */
export const auditRecordSchema = auditEntrySchema.extend({
  /** Its place in the chain, from 1. */
  sequence: z.int(),
  /** The hash of the record before it; zeros for the first. */
  previous_hash: z.string(),
  /** SHA-256 in hex of the canonical JSON of all other fields. */
  hash: z.string(),
});
export type AuditRecord = Readonly<z.infer<typeof auditRecordSchema>>;

const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-03-01T10:00:00Z' });

const auditFilterSchema = z.object({
  /** An action, or the first part of one: `key` finds `key.create`. */
  action: z.string().max(100).optional(),
  /** An id or a part of a name of who did it. */
  actor: z.string().max(200).optional(),
  /** An id or a part of a name of what it was done to. */
  target: z.string().max(200).optional(),
  workspace: z.string().max(200).optional(),
  outcome: z.enum(['done', 'refused']).optional(),
  /** Any text of the record. Upper and lower case are the same. */
  text: z.string().max(200).optional(),
  from: time.optional(),
  to: time.optional(),
});

/** The query of `GET /admin/v1/audit`. */
export const auditQuerySchema = auditFilterSchema.extend({
  limit: wholeNumber(1, 500).default(50),
  /** `next` of the page before. */
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the `next` of a page')
    .optional(),
});

/** The query of `GET /admin/v1/audit/export`. */
export const auditExportQuerySchema = auditFilterSchema.extend({ format: z.enum(['ndjson', 'csv']).default('ndjson') });

/** The response of `GET /admin/v1/audit`: newest first. */
export const auditListSchema = z.object({
  data: z.array(auditRecordSchema),
  /** Null on the last page. */
  next: nullableString,
});
export type AuditList = z.infer<typeof auditListSchema>;
