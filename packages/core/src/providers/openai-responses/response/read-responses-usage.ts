import { isObject, type Unchecked } from '../../../foundation/parse.ts';
import { readOpenAiUsage, type ReadUsage } from '../../openai/response/read-openai-usage.ts';

/**
 * Reads the counts of a response; undefined when there are no plausible ones. They mean the same as those of chat
 * completions, under names of their own, as do the costs that gateways add.
 */
export function readResponsesUsage(value: unknown): ReadUsage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens, output_tokens, input_tokens_details: input, output_tokens_details: output, ...others } = value;
  return readOpenAiUsage({
    ...others,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    prompt_tokens_details: input,
    completion_tokens_details: output,
    ...(isObject(value['cost_details']) && { cost_details: toCosts(value['cost_details']) }),
  });
}

const toCosts = (costs: Unchecked): Unchecked => ({
  ...costs,
  upstream_inference_prompt_cost: costs['upstream_inference_input_cost'],
  upstream_inference_completions_cost: costs['upstream_inference_output_cost'],
});
