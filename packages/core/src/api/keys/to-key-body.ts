import { readKeyUsage } from '../../limits/budgets.ts';
import type { KeyRecord } from '../../stores/rows.ts';
import type { KeyBody } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';

/** A key as the wire shows it, with what it has spent by now. */
export async function toKeyBody(record: KeyRecord, parts: KeyParts): Promise<KeyBody> {
  const { usage, remainingUsd } = await readKeyUsage(record.hash, record, parts);
  return {
    hash: record.hash,
    name: record.name,
    label: record.label,
    disabled: record.disabled,
    limit: record.limitUsd,
    limit_remaining: remainingUsd,
    limit_reset: record.limitReset,
    include_byok_in_limit: record.includeByokInLimit,
    ...usage,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    expires_at: record.expiresAt,
    creator_user_id: record.creatorUserId,
    workspace_id: record.workspaceId,
    external_user: record.externalUser ?? null,
    management: record.kind === 'management',
  };
}
