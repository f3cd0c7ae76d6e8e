import { noMember, refuseForeignDirectory } from '../../auth/members.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';

/**
 * `DELETE /admin/v1/members/{id}`: their guardrail assignment goes with them, so their keys are disabled first, which
 * would be free of the guardrail otherwise.
 */
export async function deleteMember({ params, runtime }: RequestContext): Promise<GatewayResponse> {
  refuseForeignDirectory(runtime);
  const { store, platform } = runtime;
  const id = params['id'] ?? '';
  if ((await store.members.get(id)) === undefined) throw noMember(id);
  const updatedAt = new Date(platform.now()).toISOString();
  for (const { hash, creatorUserId, disabled } of await store.keys.list()) {
    if (creatorUserId !== id || disabled) continue;
    await store.keys.update(hash, (key) => ({ ...key, disabled: true, updatedAt }));
  }
  await store.members.remove(id);
  return toJsonResponse(200, { deleted: true });
}
