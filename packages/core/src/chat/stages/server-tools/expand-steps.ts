import type { ToolStep } from '../../../generations/ended-call.ts';
import type { ChatMessage, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

const STEP = 'reasoning.server_tool_call';

/** Converts a call of a server tool to the form that the caller receives and sends back (wire.md 6.6). */
export function toStepDetail(step: ToolStep, index: number): ReasoningDetail {
  return {
    type: STEP,
    id: null,
    format: 'unknown',
    index,
    tool_name: step.tool,
    tool_call_id: step.id,
    arguments: step.arguments,
    result: step.result,
  };
}

/**
 * Converts calls of server tools that a caller sends back to the messages of the earlier turn, so that the model sees
 * their results. Returns the same list where there are none.
 */
export function expandSteps(messages: ChatMessage[], functionNames: ReadonlyMap<string, string>): ChatMessage[] {
  const hasSteps = (message: ChatMessage): message is AssistantMessage =>
    message.role === 'assistant' && (message.reasoning_details?.some(({ type }) => type === STEP) ?? false);
  if (!messages.some(hasSteps)) return messages;
  return messages.flatMap((message) => (hasSteps(message) ? expand(message, functionNames) : [message]));
}

function expand(message: AssistantMessage, functionNames: ReadonlyMap<string, string>): ChatMessage[] {
  const expanded: ChatMessage[] = [];
  let before: ReasoningDetail[] = [];
  let calls: ToolCall[] = [];
  let results: ChatMessage[] = [];
  const close = (): void => {
    if (calls.length === 0) return;
    expanded.push({ role: 'assistant', content: null, reasoning_details: before, tool_calls: calls }, ...results);
    [before, calls, results] = [[], [], []];
  };
  for (const detail of message.reasoning_details ?? []) {
    if (detail.type !== STEP) {
      close();
      before.push(detail);
      continue;
    }
    const { tool_name: tool, tool_call_id: id, arguments: text, result } = detail;
    if (typeof tool !== 'string' || typeof id !== 'string' || typeof result !== 'string') continue;
    const name = functionNames.get(tool) ?? tool;
    calls.push({ id, type: 'function', function: { name, arguments: typeof text === 'string' ? text : '{}' } });
    results.push({ role: 'tool', tool_call_id: id, content: result });
  }
  close();
  const { reasoning_details: _, ...others } = message;
  const isEmpty = !others.content && !others.tool_calls?.length;
  // A message with only the steps is empty without them.
  return isEmpty ? expanded : [...expanded, { ...others, ...(before.length > 0 && { reasoning_details: before }) }];
}
