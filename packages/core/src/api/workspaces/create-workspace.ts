import { refuseTakenSlug, toNewWorkspace, toWorkspaceBody } from '../../account/workspaces.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { operation } from '../../http/operation.ts';
import { createWorkspaceRequestSchema, workspaceResponseSchema } from '../../wire/account.ts';
import { givenFields } from '../../wire/fields.ts';
import { refuseWithoutEffect } from './refuse-without-effect.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

/** `POST /workspaces` */
export const createWorkspace = operation<WorkspaceParts>()({
  body: createWorkspaceRequestSchema,
  response: workspaceResponseSchema,
  status: 201,
  async run({ principal, parts, body }) {
    refuseWithoutEffect(body, undefined, parts);
    const record = toNewWorkspace({
      ...givenFields(body),
      name: body.name,
      slug: body.slug,
      id: createUuid(parts.platform),
      created_at: new Date(parts.platform.now()).toISOString(),
      created_by: principal.userId ?? null,
    });
    await parts.store.workspaces.insert(record, (stored) => refuseTakenSlug(body.slug, stored));
    return { data: toWorkspaceBody(record) };
  },
});
