import type { Policy } from '../guardrails/policy.ts';
import type { Logger } from '../foundation/logger.ts';
import { guardRequest } from '../guardrails/guard-request.ts';
import { mapTexts } from './map-texts.ts';
import type { PipelineStage } from '../wire/chat/pipeline-stage.ts';

/** What guardrails make of a text that came into a request after its caller had sent it. */
export interface GuardedText {
  readonly text: string;
  /** Set when the text must not go to a model. */
  readonly refusal: Error | null;
}

/** Has the input filters of a policy look at a text from a page, a file or a tool, as they looked at the request. */
export function guardText(
  text: string,
  policy: Policy | null,
  { logger, pipeline }: { readonly logger: Logger; readonly pipeline: PipelineStage[] },
): GuardedText {
  if (policy === null || policy.input === null) return { text, refusal: null };
  const { request, stages, refusal } = guardRequest(
    { messages: [{ role: 'user', content: text }] },
    { policy, map: mapTexts, logger },
  );
  pipeline.push(...stages);
  const guarded = request.messages[0]?.content;
  return { text: typeof guarded === 'string' ? guarded : '', refusal };
}
