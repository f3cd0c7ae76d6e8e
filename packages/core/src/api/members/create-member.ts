import { refuseForeignDirectory } from '../../auth/members.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { changeMember, createMemberRequestSchema, type Member } from '../../wire/management/member.ts';
import { parseWith } from '../../foundation/parse-with.ts';

/** `POST /admin/v1/members` */
export async function createMember({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  refuseForeignDirectory(runtime);
  const body = parseWith(createMemberRequestSchema, await readJsonBody(request));
  const nobody: Member = { id: body.user_id, email: '', first_name: null, last_name: null, role: 'org:member' };
  const member = changeMember(nobody, body);
  if ((await runtime.store.members.get(member.id)) !== undefined) {
    throw new GatewayError('invalid_request', `user_id: there is a member ${member.id} already`);
  }
  await runtime.store.members.insert(member);
  return toJsonResponse(201, { data: member });
}
