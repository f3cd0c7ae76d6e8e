import { chooseWorkspaceId } from '../../account/workspaces.ts';
import { createKeyRecord } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { createdKeySchema, createKeyRequestSchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';
import { toKeyBody } from './to-key-body.ts';

/** `POST /keys`: the only response that shows the key itself. */
export const createKey = operation<KeyParts>()({
  body: createKeyRequestSchema,
  response: createdKeySchema,
  status: 201,
  async run({ parts, body }) {
    const { key, record } = await createKeyRecord({
      platform: parts.platform,
      name: body.name,
      kind: body.management === true ? 'management' : 'api',
      limitUsd: body.limit ?? null,
      limitReset: body.limit_reset,
      includeByokInLimit: body.include_byok_in_limit,
      workspaceId: await chooseWorkspaceId(body.workspace_id, parts),
      expiresAt: body.expires_at,
      creatorUserId: body.creator_user_id,
      externalUser: body.external?.user,
    });
    await parts.store.keys.insert(record);
    return { data: await toKeyBody(record, parts), key };
  },
});
