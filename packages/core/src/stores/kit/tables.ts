import { z } from 'zod';

import { settingsChangeSchema } from '../../wire/account.ts';
import { destinationSchema } from '../../wire/destinations.ts';
import { guardrailSchema } from '../../wire/guardrails.ts';
import { memberSchema } from '../../wire/keys.ts';
import {
  type AssignmentRecord,
  assignmentSchema,
  type KeyRecord,
  keyRecordSchema,
  type ModelRecord,
  modelRecordSchema,
  type ProviderRecord,
  providerRecordSchema,
  type WorkspaceRecord,
  workspaceRecordSchema,
} from '../rows.ts';

/** All tables that change rarely, as one value, for stores that persist them as such. A missing table is empty. */
export const tablesSchema = z.object({
  keys: z.array(keyRecordSchema).default([]),
  members: z.array(memberSchema).default([]),
  guardrails: z.array(guardrailSchema).default([]),
  keyAssignments: z.array(assignmentSchema).default([]),
  memberAssignments: z.array(assignmentSchema).default([]),
  workspaces: z.array(workspaceRecordSchema).default([]),
  destinations: z.array(destinationSchema).default([]),
  providers: z.array(providerRecordSchema).default([]),
  models: z.array(modelRecordSchema).default([]),
  settings: z.object(settingsChangeSchema.shape).default({}),
});

/** Rows are oldest first. */
export interface Tables {
  readonly keys: readonly KeyRecord[];
  readonly members: readonly z.infer<typeof memberSchema>[];
  readonly guardrails: readonly z.infer<typeof guardrailSchema>[];
  readonly keyAssignments: readonly AssignmentRecord[];
  readonly memberAssignments: readonly AssignmentRecord[];
  readonly workspaces: readonly WorkspaceRecord[];
  readonly destinations: readonly z.infer<typeof destinationSchema>[];
  readonly providers: readonly ProviderRecord[];
  readonly models: readonly ModelRecord[];
  readonly settings: z.infer<typeof settingsChangeSchema>;
}

export const EMPTY_TABLES: Tables = {
  keys: [],
  members: [],
  guardrails: [],
  keyAssignments: [],
  memberAssignments: [],
  workspaces: [],
  destinations: [],
  providers: [],
  models: [],
  settings: {},
};
