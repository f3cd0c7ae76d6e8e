import { noMember, refuseForeignDirectory } from '../../auth/members.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { changeMember, updateMemberRequestSchema } from '../../wire/management/member.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `PATCH /admin/v1/members/{id}` */
export async function updateMember({ request, params, runtime }: RequestContext): Promise<GatewayResponse> {
  refuseForeignDirectory(runtime);
  const body = parseWith(updateMemberRequestSchema, await readJsonBody(request));
  const id = params['id'] ?? '';
  const updated = await runtime.store.members.update(id, (member) => changeMember(member, body));
  if (updated === undefined) throw noMember(id);
  return toJsonResponse(200, { data: updated });
}
