import { isObject, type Unchecked, readCount } from '../../../foundation/parse.ts';
import type { Usage } from '../../../wire/chat-chunk.ts';

/** Token counts as the wire names them. A count that was not reported is absent. */
export interface AnthropicCounts {
  input?: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Part of `cacheWrite`: tokens that are cached for an hour, at a separate price. */
  cacheWrite1h?: number;
  output?: number;
  /** Part of the output. */
  thinking?: number;
  webSearches?: number;
}

const FIELDS = [
  ['input', 'input_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
  ['output', 'output_tokens'],
] as const satisfies readonly (readonly [keyof AnthropicCounts, string])[];

/**
 * Adds the counts of one `usage` object. Counts are cumulative, so later ones replace earlier ones, except zeros that
 * some servers send at the end; a zero for the output alone is one. A call that took several turns on the server (compaction, fallback to another model)
 * lists them as iterations; the counts beside that list cover only a part, so its sum is used.
 */
export function addAnthropicUsage(known: AnthropicCounts, value: unknown): AnthropicCounts {
  if (!isObject(value)) return known;
  const counts: AnthropicCounts = { ...known };
  const iterations = Array.isArray(value['iterations']) ? value['iterations'].filter(isOwnIteration) : [];
  const isEmptyReport = (known.input ?? 0) > 0 && value['input_tokens'] === 0;
  for (const [name, field] of FIELDS) {
    const count = iterations.length > 0 ? sumOf(iterations, field) : readCount(value[field]);
    if (count === undefined) continue;
    const isKnown = counts[name] !== undefined;
    if (count > 0 || !isKnown || (name === 'output' && !isEmptyReport)) counts[name] = count;
  }
  const cacheWrite1h = countIn(value['cache_creation'], 'ephemeral_1h_input_tokens');
  const thinking = countIn(value['output_tokens_details'], 'thinking_tokens');
  const webSearches = countIn(value['server_tool_use'], 'web_search_requests');
  if (cacheWrite1h !== undefined) counts.cacheWrite1h = cacheWrite1h;
  if (thinking !== undefined) counts.thinking = thinking;
  if (webSearches !== undefined) counts.webSearches = webSearches;
  return counts;
}

const countIn = (details: unknown, field: string): number | undefined =>
  isObject(details) ? readCount(details[field]) : undefined;

/**
 * Converts the counts to the gateway's form; undefined without both of input and output. The wire counts tokens read
 * from or written to the cache separately from the input, the gateway as a part of it.
 */
export function toUsage(counts: AnthropicCounts): Usage | undefined {
  const { input, cacheRead, cacheWrite, cacheWrite1h, output, thinking, webSearches } = counts;
  if (input === undefined || output === undefined) return undefined;
  const prompt = input + (cacheRead ?? 0) + (cacheWrite ?? 0);
  const hasCacheCounts = cacheRead !== undefined || cacheWrite !== undefined;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(hasCacheCounts && {
      prompt_tokens_details: {
        ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
        ...(cacheWrite !== undefined && { cache_write_tokens: cacheWrite }),
        ...(cacheWrite1h !== undefined && { cache_write_1h_tokens: cacheWrite1h }),
      },
    }),
    ...(thinking !== undefined && { completion_tokens_details: { reasoning_tokens: thinking } }),
    ...(webSearches !== undefined && { server_tool_use_details: { web_search_requests: webSearches } }),
  };
}

/** An adviser is another model at another price, and no part of the counts beside the list either. */
const isOwnIteration = (value: unknown): value is Unchecked => isObject(value) && value['type'] !== 'advisor_message';

function sumOf(iterations: readonly Unchecked[], field: string): number | undefined {
  let sum: number | undefined;
  for (const iteration of iterations) {
    const count = readCount(iteration[field]);
    if (count !== undefined) sum = (sum ?? 0) + count;
  }
  return sum;
}
