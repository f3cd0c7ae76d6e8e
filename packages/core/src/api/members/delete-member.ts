import { noMember, refuseForeignDirectory } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { MemberParts } from './member-parts.ts';

/**
 * `DELETE /admin/v1/members/{id}`: their guardrail assignment goes with them, so their keys are disabled first, which
 * would be free of the guardrail otherwise.
 */
export const deleteMember = operation<MemberParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts }) {
    refuseForeignDirectory(parts);
    const { store, platform } = parts;
    if ((await store.members.get(id)) === undefined) throw noMember(id);
    const updatedAt = new Date(platform.now()).toISOString();
    for (const { hash, creatorUserId, disabled } of await store.keys.list()) {
      if (creatorUserId !== id || disabled) continue;
      await store.keys.update(hash, (key) => ({ ...key, disabled: true, updatedAt }));
    }
    await store.members.remove(id);
    return { deleted: true };
  },
});
