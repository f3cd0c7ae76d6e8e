import { z } from 'zod';

import type { Principal } from '../../http/principal.ts';
import { boundWithin, withinBounds } from '../../budgets/reserve-call.ts';
import { createModelCall } from '../../calls/model-call.ts';
import { chatKind } from '../../chat/chat-kind.ts';
import { findCaller } from '../../dispatch/find-caller.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { readJsonBody } from '../../http/read-json-body.ts';
import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import { explainPlan } from '../../routing/explain-plan.ts';
import { planCall } from '../../routing/plan-call.ts';
import type { Runtime } from '../../runtime.ts';
import { parseWith } from '../../wire/parse-with.ts';
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
  const principalOfCalls = key === undefined ? principal : await findKeyHolder(key, runtime);
  const { policy, budgets } = await findCaller(principalOfCalls, runtime.callers);
  const call = createModelCall({
    id: '',
    kind: chatKind,
    request: body,
    principal: principalOfCalls,
    region: runtime.regionOf(request),
    headers: request.headers,
    headerSession: null,
  });
  const bound = boundWithin(call, budgets);
  const narrowings = [...(policy?.narrowings ?? []), ...(bound === null ? [] : [withinBounds(bound)])];
  // The candidates are in order of price, and the first of them is drawn by the smallest number.
  const plan = planCall(call, { narrowings, random: () => 0 }, runtime.routing);
  return toJsonResponse(200, { data: explainPlan(plan, runtime.health) });
}

/** The principal of a key's calls. */
async function findKeyHolder(hash: string, { store }: Runtime): Promise<Principal> {
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
