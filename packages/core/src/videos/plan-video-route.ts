import type { Policy } from '../guardrails/policy.ts';
import type { Narrowing } from '../calls/narrowing.ts';
import type { EndpointParts } from '../dispatch/usable-endpoints.ts';
import type { RequestContext } from '../http/request-context.ts';
import { GatewayError } from '../foundation/errors.ts';
import { planRoute, type RoutePlan } from '../routing/plan-route.ts';
import type { VideoRequest } from '../wire/videos/video-request.ts';
import type { VideoAbilities } from '../wire/models/video-capabilities.ts';

export interface VideoRoute {
  readonly plan: RoutePlan;
  readonly capabilities: VideoAbilities;
  /** What was forbidden beyond the request's own wishes. */
  readonly narrowings: readonly Narrowing[];
}

export interface VideoRouteQuery {
  readonly context: RequestContext<EndpointParts & Parameters<typeof planRoute>[1]>;
  /** Of the caller. */
  readonly policy: Policy | null;
}

/**
 * Chooses the endpoints of a video by the rules of chat, which know nothing of frames and seconds. Videos are kept by
 * those who make them, so nobody who insists on zero retention is routed anywhere (api reference 15.1).
 */
export function planVideoRoute(request: VideoRequest, { context, policy }: VideoRouteQuery): VideoRoute {
  const { parts: runtime, principal, request: httpRequest } = context;
  const { options: _, ...provider } = request.provider ?? {};
  const wantsZeroRetention = provider.zdr === true || runtime.account.privacy?.zdr === true;
  const narrowings: readonly Narrowing[] = [
    { rule: 'zdr', excludes: () => wantsZeroRetention },
    ...(policy?.narrowings ?? []),
  ];
  const plan = planRoute(
    {
      request: { model: request.model, messages: [{ role: 'user', content: request.prompt ?? '' }], provider },
      principalId: principal.id,
      sessionId: null,
      region: runtime.regionOf(httpRequest),
      operation: 'video',
      narrowings,
    },
    runtime,
  );
  const model = runtime.catalog.find(plan.models[0] ?? '');
  const { architecture, video } = model?.definition ?? {};
  if (architecture?.output_modalities?.includes('video') !== true) {
    throw new GatewayError(
      'invalid_request',
      `model: ${request.model} makes no videos; GET /api/v1/videos/models lists those that do`,
    );
  }
  return { plan, capabilities: { ...video, inputModalities: architecture.input_modalities }, narrowings };
}
