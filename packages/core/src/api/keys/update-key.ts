import { findKey, noKey } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { keyResponseSchema, updateKeyRequestSchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';
import { toKeyBody } from './to-key-body.ts';

/** `PATCH /keys/{hash}`: the change applies from the next request on. */
export const updateKey = operation<KeyParts>()({
  params: ['hash'],
  body: updateKeyRequestSchema,
  response: keyResponseSchema,
  find: ({ params, parts }) => findKey(params.hash, parts),
  async run({ found: { hash }, parts, body }) {
    const updated = await parts.store.keys.update(hash, (record) => ({
      ...record,
      name: body.name ?? record.name,
      disabled: body.disabled ?? record.disabled,
      limitUsd: body.limit === undefined ? record.limitUsd : body.limit,
      limitReset: body.limit_reset === undefined ? record.limitReset : body.limit_reset,
      includeByokInLimit: body.include_byok_in_limit ?? record.includeByokInLimit,
      expiresAt: body.expires_at === undefined ? record.expiresAt : body.expires_at,
      updatedAt: new Date(parts.platform.now()).toISOString(),
    }));
    if (updated === undefined) throw noKey(hash);
    return { data: await toKeyBody(updated, parts) };
  },
});
