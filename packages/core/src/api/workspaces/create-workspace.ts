import { refuseTakenSlug, toNewWorkspace } from '../../auth/workspaces.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { createUuid } from '../../foundation/random-id.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { givenFields } from '../../wire/given-fields.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { createWorkspaceRequestSchema } from '../../wire/management/workspace.ts';

/** `POST /workspaces` */
export async function createWorkspace({ request, principal, runtime }: RequestContext): Promise<GatewayResponse> {
  const body = parseWith(createWorkspaceRequestSchema, await readJsonBody(request));
  await refuseTakenSlug(body.slug, runtime);
  const record = toNewWorkspace({
    ...givenFields(body),
    name: body.name,
    slug: body.slug,
    id: createUuid(runtime.platform),
    created_at: new Date(runtime.platform.now()).toISOString(),
    created_by: principal.userId ?? null,
  });
  await runtime.store.workspaces.insert(record);
  return toJsonResponse(201, { data: record.workspace });
}
