import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type FunctionTool = Extract<Tool, { function: { name: string } }>;

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === 'function';

/** Throws `invalid_request` for a tool that is no function, because it is one of another form. */
export function toResponsesTools(tools: readonly Tool[]): object[] {
  return tools.map((tool, index) => {
    if (!isFunctionTool(tool)) {
      throw refuseField(`tools.${index}.type`, `"${tool.type}" cannot be sent to this provider; only functions can`);
    }
    const { name, description, parameters, strict } = tool.function;
    return {
      type: 'function',
      name,
      ...(description && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      // Strict is the default here, and refuses most schemas that are not written for it.
      strict: strict === true,
    };
  });
}

export function toResponsesToolChoice(choice: ChatCompletionRequest['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined;
  if (choice.type !== 'function')
    throw refuseField('tool_choice.type', 'only functions can be chosen at this provider');
  return { type: 'function', name: (choice as { function: { name: string } }).function.name };
}
