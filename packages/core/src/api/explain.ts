import { z } from 'zod';

import { noKey } from '../auth/keys.ts';
import { createModelCall } from '../calls/model-call.ts';
import type { RegionOf } from '../calls/regions.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import { chatKind } from '../chat/chat-kind.ts';
import { onwardPluginsOf, type PluginParts, toPluginConstraints } from '../chat/plugins.ts';
import { findPreset, namesPreset } from '../chat/presets/use-preset.ts';
import { explainFailover } from '../dispatch/ask-again.ts';
import { type CallerParts, findCaller, planWithin } from '../dispatch/prepare-call.ts';
import { parseWith } from '../foundation/parse.ts';
import { readJsonBody } from '../http/json-body.ts';
import { operation } from '../http/operation.ts';
import type { Principal } from '../http/request.ts';
import { explainPlan } from '../routing/explain.ts';
import type { KeyBoard } from '../routing/health/key-board.ts';
import { explainKeys, type StickyCall } from '../routing/key-pools.ts';
import type { RoutingParts } from '../routing/plan-call.ts';
import { applyRules, type CallOrigin, explainRules } from '../routing/rules.ts';
import type { Store } from '../stores/store.ts';
import { CALL_KIND_NAMES } from '../wire/call-kinds.ts';
import { chatCompletionRequestSchema } from '../wire/chat-request.ts';
import { type RoutingExplanation, routingExplanationSchema } from '../wire/routing-explanation.ts';
import { FORMATS } from '../wire/routing-rules.ts';
import { EXPLAINED } from './explained-kinds.ts';
import type { MemberReach } from './member-view.ts';

/** What an explanation uses of a gateway. */
export interface ExplainParts extends PluginParts {
  readonly callers: CallerParts;
  readonly routing: RoutingParts;
  readonly regionOf: RegionOf;
  readonly store: Pick<Store, 'keys' | 'presets'>;
  readonly keyBoard: KeyBoard;
  readonly reach?: MemberReach | undefined;
}

/** The query of `POST /admin/v1/explain`. */
const explainCallQuerySchema = z.object({
  /** Hash of the API key to explain for; without it, a key without any restrictions. */
  key: z.string().optional(),
  /** The kind of call that the body asks for. */
  kind: z.enum(CALL_KIND_NAMES).default('chat'),
  /** For rules: the form of the call, its user agent, and whether an agent makes it that another one has started. */
  format: z.enum(FORMATS).optional(),
  /** Former name of `format`. */
  door: z.enum(FORMATS).optional(),
  user_agent: z.string().max(512).optional(),
  subagent: z.enum(['true', 'false']).default('false'),
});

const explainCallResultSchema = z.object({ data: routingExplanationSchema });

/**
 * `POST /admin/v1/explain`: how a request would be routed, without a call to any provider. Where load is balanced, the
 * endpoint with the largest share is shown first.
 */
export const explainCall = operation<ExplainParts>()({
  query: explainCallQuerySchema,
  body: { readByRun: chatCompletionRequestSchema.describe('A chat request, or one of the kind that the query names') },
  response: explainCallResultSchema,
  errors: ['not_found'],
  async run({ request, principal, parts, query }) {
    const body = await readJsonBody(request);
    const holder = query.key === undefined ? principal : await findKeyHolder(query.key, parts);
    const caller = await findCaller(holder, parts.callers);
    const region = parts.regionOf(request);
    if (query.kind === 'chat') {
      const preset = namesPreset('chat', body)
        ? await findPreset('chat', body, { principal: holder, parts })
        : undefined;
      const asked = preset === undefined ? body : preset.join(preset.request);
      return { data: explainChat(asked, { query, caller, parts, principal: holder, region }) };
    }
    const read = await EXPLAINED[query.kind]();
    const call = read(body, { principal: holder, region, headers: {} });
    const { plan } = planWithin(call, caller, parts.routing, { random: () => 0 });
    const failover = explainFailover({ call, account: parts.routing.account });
    return { data: { ...explainPlan(plan, parts.routing.health, keysFor(call, parts)), failover } };
  },
});

interface AskedChat {
  readonly query: z.output<typeof explainCallQuerySchema>;
  readonly caller: Awaited<ReturnType<typeof findCaller>>;
  readonly parts: ExplainParts;
  readonly principal: Principal;
  readonly region: ReturnType<RegionOf>;
}

/** Rules may choose the model of a chat, and plugins bring endpoints and demands of their own. */
function explainChat(body: unknown, { query, caller, parts, principal, region }: AskedChat): RoutingExplanation {
  const origin = toOrigin(query);
  const asked = createModelCall({
    id: '',
    kind: chatKind,
    request: parseWith(chatCompletionRequestSchema, body),
    principal,
    region,
    // Headers of the administrator do not belong to the calls that are explained.
    headers: origin.headers,
  });
  const call = applyRules(asked, origin, parts.routing);
  // The candidates are in order of price, and the first of them is drawn by the smallest number.
  const constraints = toPluginConstraints(onwardPluginsOf(call.request, parts));
  const { plan } = planWithin(call, caller, parts.routing, { random: () => 0, constraints });
  const rules = explainRules(asked, origin, parts.routing);
  const failover = explainFailover({ call, account: parts.routing.account });
  return {
    ...explainPlan(plan, parts.routing.health, keysFor(call, parts)),
    failover,
    ...(rules.length > 0 && { rules }),
  };
}

const keysFor =
  (call: StickyCall, { keyBoard }: Pick<ExplainParts, 'keyBoard'>) =>
  (endpoint: Endpoint) =>
    explainKeys(endpoint, call, keyBoard);

/** The origin of a call as the query describes it. */
function toOrigin({ format, door, user_agent: agent, subagent }: z.output<typeof explainCallQuerySchema>): CallOrigin {
  return {
    format: format ?? door ?? 'chat',
    headers: {
      ...(agent !== undefined && { 'user-agent': agent }),
      ...(subagent === 'true' && { 'x-claude-code-agent-id': 'explained' }),
    },
  };
}

/** The principal of a key's calls. */
async function findKeyHolder(hash: string, { store, reach }: ExplainParts): Promise<Principal> {
  const key = await store.keys.get(hash);
  // A key of another does not exist for a member, and nor does what holds for it.
  if (key === undefined && reach !== undefined) throw noKey(hash);
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
