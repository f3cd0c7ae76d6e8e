import type { Usage } from '../wire/chat/chat-chunk.ts';
import type { GenerationContent } from '../wire/generations/generation.ts';

/** One call of a server tool, as it is recorded. */
export interface ToolStep {
  readonly id: string;
  /** Name without the prefix: `web_search`. */
  readonly tool: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** Result that the model received. */
  readonly result: string;
  readonly status: 'completed' | 'failed';
  /** False where a limit or a guardrail prevented the tool from running. */
  readonly wasRun: boolean;
}

type ToolUse = NonNullable<Usage['server_tool_use_details']>;

/** Counts the steps, on top of what the provider's own tools have used. */
export function toToolUse(steps: readonly ToolStep[], own: ToolUse | undefined): ToolUse {
  const run = steps.filter(({ wasRun }) => wasRun);
  return {
    tool_calls_requested: steps.length,
    tool_calls_executed: run.length,
    web_search_requests: (own?.web_search_requests ?? 0) + run.filter(({ tool }) => tool === 'web_search').length,
  };
}

/** A step as `GET /generation/content` shows it. */
export function toToolCallRecord(
  step: ToolStep,
): NonNullable<GenerationContent['output']['server_tool_calls']>[number] {
  const { id, tool: name, arguments: text, result, status } = step;
  return { id, name, arguments: text, result, status };
}

/** About how much room steps take in a record, in characters. */
export function lengthOf(steps: readonly ToolStep[]): number {
  return steps.reduce((sum, step) => sum + step.arguments.length + step.result.length, 0);
}
