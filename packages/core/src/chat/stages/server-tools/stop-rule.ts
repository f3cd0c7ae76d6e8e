import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';

/** State of a tool loop after a turn in which the model has called tools. */
export interface LoopState {
  /** Calls of server tools so far, those of this turn included. */
  readonly steps: number;
  /** Names of the tools that this turn has called. */
  readonly called: readonly string[];
  readonly totalTokens: number;
  /** USD; null when it is not known. */
  readonly costUsd: number | null;
  /** Finish reasons of this turn. */
  readonly finishReasons: readonly (string | null)[];
}

/** Decides when the model has to finish. */
export interface StopRule {
  /** Calls that may be run in all. */
  readonly maxSteps: number;
  /** Whether the next turn is to be the last, without tools. */
  isOver(state: LoopState): boolean;
}

/** The most calls of server tools in one request, and their default (wire.md 10.1). */
const MAX_TOOL_CALLS = 30;
/** Conditions of the caller's own may allow more, but none may run for ever. */
const CEILING = 100;

type Condition = NonNullable<ChatCompletionRequest['stop_server_tools_when']>[number];

/** Reads `stop_server_tools_when`, of whose conditions one is enough, or else `max_tool_calls`. */
export function createStopRule(
  { stop_server_tools_when: conditions, max_tool_calls: maxCalls }: ChatCompletionRequest,
  toToolName: (type: string) => string,
): StopRule {
  if (conditions?.length) {
    return {
      maxSteps: CEILING,
      isOver: (state) => state.steps >= CEILING || conditions.some((one) => isMet(one, state, toToolName)),
    };
  }
  if (maxCalls != null && maxCalls < 0) throw refuseField('max_tool_calls', 'must be 0 or more');
  const maxSteps = Math.min(maxCalls ?? MAX_TOOL_CALLS, MAX_TOOL_CALLS);
  return { maxSteps, isOver: ({ steps }) => steps >= maxSteps };
}

function isMet(condition: Condition, state: LoopState, toToolName: (type: string) => string): boolean {
  switch (condition.type) {
    case 'step_count_is':
      return state.steps >= condition.step_count;
    case 'has_tool_call':
      return state.called.includes(toToolName(condition.tool_name));
    case 'max_tokens_used':
      return state.totalTokens >= condition.max_tokens;
    case 'max_cost':
      return state.costUsd !== null && state.costUsd >= condition.max_cost_in_dollars;
    case 'finish_reason_is':
      return state.finishReasons.includes(condition.reason);
  }
}
