import { z } from 'zod';

import type { Principal } from '../../http/principal.ts';
import { boundCall } from '../../budgets/bound-call.ts';
import { findBudgets } from '../../budgets/find-budgets.ts';
import { withinBounds } from '../../budgets/reserve-call.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { explainRoute } from '../../routing/explain-route.ts';
import { planRoute } from '../../routing/plan-route.ts';
import type { Runtime } from '../../runtime.ts';
import { parseWith } from '../../foundation/parse-with.ts';
import { parseChatCompletion } from '../../wire/chat/parse-chat-completion.ts';
import { routingExplanationSchema } from '../../wire/models/routing-explanation.ts';

/** The query of `POST /admin/v1/explain`. */
export const explainRouteQuerySchema = z.object({
  /** Hash of the API key to explain for; without it, a key that nothing is known of. */
  key: z.string().optional(),
});

export const explainRouteResultSchema = z.object({ data: routingExplanationSchema });

/**
 * `POST /admin/v1/explain`: how a chat request would be routed, without calling anybody. Where load is balanced, the
 * endpoint with the largest share is shown first.
 */
export async function explainChatRoute({ request, principal, runtime }: RequestContext): Promise<GatewayResponse> {
  const { key } = parseWith(explainRouteQuerySchema, Object.fromEntries(new URLSearchParams(request.query)));
  const body = parseChatCompletion(await readJsonBody(request));
  const caller = key === undefined ? principal : await findCaller(key, runtime);
  const policy = await runtime.policyOf(caller);
  const narrowings = policy?.narrowings ?? [];
  const isLimited = (await findBudgets(caller, policy, runtime)).length > 0;
  const plan = planRoute(
    {
      request: body,
      principalId: caller.id,
      sessionId: body.session_id ?? null,
      region: runtime.regionOf(request),
      narrowings: isLimited ? [...narrowings, withinBounds(boundCall(body))] : narrowings,
      // The candidates are in order of price, and the first of them is drawn by the smallest number.
      random: () => 0,
    },
    runtime,
  );
  return toJsonResponse(200, { data: explainRoute(plan, runtime.health) });
}

/** Whoever holds the key. */
async function findCaller(hash: string, { store }: Runtime): Promise<Principal> {
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
