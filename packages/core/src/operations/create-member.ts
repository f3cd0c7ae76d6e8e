import { refuseForeignDirectory } from '../auth/members.ts';
import type { RequestContext } from '../context.ts';
import { GatewayError } from '../errors.ts';
import { createRandomId } from '../random-id.ts';
import { readJsonBody } from '../read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../response.ts';
import { createMemberRequestSchema, type Member } from '../schemas/member.ts';
import { parseWith } from '../schemas/parse-with.ts';

/** `POST /admin/v1/members` */
export async function createMember({ request, runtime }: RequestContext): Promise<GatewayResponse> {
  refuseForeignDirectory(runtime);
  const body = parseWith(createMemberRequestSchema, await readJsonBody(request));
  const member: Member = {
    id: body.id ?? `user_${createRandomId(runtime.platform)}`,
    email: body.email,
    first_name: body.first_name ?? null,
    last_name: body.last_name ?? null,
    role: body.role ?? 'org:member',
  };
  if ((await runtime.store.members.get(member.id)) !== undefined) {
    throw new GatewayError('invalid_request', `id: there is a member ${member.id} already`);
  }
  await runtime.store.members.insert(member);
  return toJsonResponse(201, { data: member });
}
