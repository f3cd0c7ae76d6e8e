import { listWorkspaceRecords, toWorkspaceBody } from '../../account/workspaces.ts';
import { operation } from '../../http/operation.ts';
import { workspaceListSchema } from '../../wire/account.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `GET /workspaces`: the default one first. */
export const listWorkspaces = operation<WorkspaceParts>()({
  query: pageQuerySchema,
  response: workspaceListSchema,
  async run({ parts, query }) {
    const records = await listWorkspaceRecords(parts);
    return toPage(records.map(toWorkspaceBody), query);
  },
});
