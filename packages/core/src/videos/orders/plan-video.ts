import type { ModelCall } from '../../calls/model-call.ts';
import type { Policy } from '../../guardrails/policy.ts';
import { type CallPlan, planCall, type RoutingParts } from '../../routing/plan-call.ts';
import { refuseField } from '../../wire/fields.ts';
import type { VideoAbilities, VideoRequest } from '../../wire/videos.ts';

export interface VideoPlan {
  readonly plan: CallPlan;
  readonly capabilities: VideoAbilities;
}

/** Plans the endpoints of a video. Throws `invalid_request` for a model that makes no videos. */
export function planVideo(call: ModelCall<VideoRequest>, policy: Policy | null, parts: RoutingParts): VideoPlan {
  const { request } = call;
  const plan = planCall(call, { narrowings: policy?.narrowings ?? [] }, parts);
  const model = parts.catalog.find(plan.models[0] ?? '');
  const { architecture, video } = model?.definition ?? {};
  if (architecture?.output_modalities?.includes('video') !== true) {
    throw refuseField('model', `${request.model} makes no videos; GET /api/v1/videos/models lists those that do`);
  }
  return { plan, capabilities: { ...video, inputModalities: architecture.input_modalities } };
}
