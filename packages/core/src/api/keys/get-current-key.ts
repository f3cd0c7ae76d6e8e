import { ORGANIZATION_ID } from '../../account/workspaces.ts';
import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { findLayers } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { readKeyUsage } from '../../limits/budgets.ts';
import { DATA_REGIONS } from '../../wire/fields.ts';
import { currentKeyResponseSchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';

/** Free models are not counted here. The wire requires figures, and these show that nothing is used up. */
const FREE_REQUESTS = { limit: 1_000_000, remaining: 1_000_000, used: 0 };
const RATE_LIMIT = { interval: '10s', note: 'Only here for older clients; see the rate limit headers', requests: -1 };

/** `GET /key`: what the caller's own key may do. Keys of the configuration have neither limit nor end. */
export const getCurrentKey = operation<KeyParts>()({
  response: currentKeyResponseSchema,
  async run({ principal, parts }) {
    const record = await parts.store.keys.get(principal.id);
    const limit = record ?? { limitUsd: principal.limitUsd ?? null, limitReset: null, includeByokInLimit: false };
    const { usage, remainingUsd } = await readKeyUsage(principal.id, limit, parts);
    const layers = await findLayers(principal, parts.store);
    const isManagement = principal.kind === 'management';
    return {
      data: {
        label: record?.label ?? principal.name,
        limit: limit.limitUsd,
        limit_remaining: remainingUsd,
        limit_reset: limit.limitReset,
        include_byok_in_limit: limit.includeByokInLimit,
        ...usage,
        expires_at: record?.expiresAt ?? null,
        creator_user_id: principal.userId ?? null,
        workspace_id: principal.workspaceId ?? DEFAULT_WORKSPACE_ID,
        organization_id: ORGANIZATION_ID,
        allowed_data_regions: DATA_REGIONS.filter((region) =>
          layers.every(
            ({ guardrail: { allowed_data_regions: allowed } }) => allowed === null || allowed.includes(region),
          ),
        ),
        free_model_daily_requests: FREE_REQUESTS,
        is_free_tier: false,
        is_management_key: isManagement,
        is_provisioning_key: isManagement,
        rate_limit: RATE_LIMIT,
      },
    };
  },
});
