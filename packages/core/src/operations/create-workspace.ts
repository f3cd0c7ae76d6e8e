import { refuseTakenSlug, toNewWorkspace } from '../auth/workspaces.ts';
import type { RequestContext } from '../context.ts';
import { createUuid } from '../random-id.ts';
import { readJsonBody } from '../read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { givenFields } from '../schemas/given-fields.ts';
import { parseWith } from '../schemas/parse-with.ts';
import { createWorkspaceRequestSchema } from '../schemas/workspace.ts';

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
