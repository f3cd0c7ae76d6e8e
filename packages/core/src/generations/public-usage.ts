import type { Cost } from '../catalog/prices.ts';
import type { Endpoint } from '../catalog/catalog.ts';
import type { Usage } from '../wire/chat/chat-chunk.ts';
import { type ToolStep, toToolUse } from './tool-steps.ts';

/**
 * Usage in the form that the caller receives. Unknown values are absent: existing clients reject the whole response
 * when the cost is null, or when details lack their first count (seen in the AI SDK's provider, 3.1).
 */
export function toPublicUsage(
  counted: Usage,
  {
    cost,
    endpoint,
    steps,
  }: { readonly cost: Cost | null; readonly endpoint: Endpoint | undefined; readonly steps: readonly ToolStep[] },
): Usage {
  const usage = withToolUse(counted, steps);
  const told: Usage = { ...usage };
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  if (prompt !== undefined && prompt.cached_tokens === undefined) delete told.prompt_tokens_details;
  if (completion !== undefined && completion.reasoning_tokens === undefined) delete told.completion_tokens_details;
  told.is_byok = endpoint?.provider.byok ?? false;
  if (cost !== null) {
    told.cost = cost.usd;
    told.cost_details = {
      upstream_inference_cost: null,
      upstream_inference_prompt_cost: cost.promptUsd,
      upstream_inference_completions_cost: cost.completionUsd,
    };
  }
  return told;
}

function withToolUse(usage: Usage, steps: readonly ToolStep[]): Usage {
  if (steps.length === 0) return usage;
  return { ...usage, server_tool_use_details: toToolUse(steps, usage.server_tool_use_details) };
}
