import { z } from 'zod';

import type { Principal } from '../../http/principal.ts';
import { boundCall } from '../../budgets/bound-call.ts';
import { findBudgets } from '../../budgets/find-budgets.ts';
import { withinBounds } from '../../budgets/reserve-call.ts';
import { operation } from '../../http/operation.ts';
import { explainRoute } from '../../routing/explain-route.ts';
import { planRoute } from '../../routing/plan-route.ts';
import { chatCompletionRequestSchema } from '../../wire/chat/chat-completion.ts';
import { routingExplanationSchema } from '../../wire/models/routing-explanation.ts';
import type { ChatParts } from './chat-parts.ts';

/** The query of `POST /admin/v1/explain`. */
const explainRouteQuerySchema = z.object({
  /** Hash of the API key to explain for; without it, a key that nothing is known of. */
  key: z.string().optional(),
});

const explainRouteResultSchema = z.object({ data: routingExplanationSchema });

/**
 * `POST /admin/v1/explain`: how a chat request would be routed, without calling anybody. Where load is balanced, the
 * endpoint with the largest share is shown first.
 */
export const explainChatRoute = operation<ChatParts>()({
  query: explainRouteQuerySchema,
  body: chatCompletionRequestSchema,
  response: explainRouteResultSchema,
  async run({ request, principal, parts, query: { key }, body }) {
    const caller = key === undefined ? principal : await findCaller(key, parts);
    const policy = await parts.policyOf(caller);
    const narrowings = policy?.narrowings ?? [];
    const isLimited = (await findBudgets(caller, policy, parts)).length > 0;
    const plan = planRoute(
      {
        request: body,
        principalId: caller.id,
        sessionId: body.session_id ?? null,
        region: parts.regionOf(request),
        narrowings: isLimited ? [...narrowings, withinBounds(boundCall(body))] : narrowings,
        // The candidates are in order of price, and the first of them is drawn by the smallest number.
        random: () => 0,
      },
      parts,
    );
    return { data: explainRoute(plan, parts.health) };
  },
});

/** Whoever holds the key. */
async function findCaller(hash: string, { store }: Pick<ChatParts, 'store'>): Promise<Principal> {
  const key = await store.keys.get(hash);
  return {
    kind: 'api',
    id: hash,
    name: key?.name ?? '',
    userId: key?.creatorUserId ?? undefined,
    workspaceId: key?.workspaceId,
    limitUsd: key?.limitUsd,
    limitReset: key?.limitReset,
    includeByokInLimit: key?.includeByokInLimit,
  };
}
