import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { type Block, toCacheControl } from './to-anthropic-content.ts';
import { toOutputSchema } from './to-output-schema.ts';

type Tool = NonNullable<ChatCompletionRequest['tools']>[number];
type FunctionTool = Extract<Tool, { function: { name: string } }>;

const isFunctionTool = (tool: Tool): tool is FunctionTool => tool.type === 'function';

/** Throws `invalid_request` for a tool that is no function, which the wire does not have. */
export function toAnthropicTools(tools: readonly Tool[]): Block[] {
  return tools.map((tool, index) => {
    if (!isFunctionTool(tool)) {
      throw refuseField(`tools.${index}.type`, `"${tool.type}" cannot be sent to this provider; only functions can`);
    }
    const { name, description, parameters, strict } = tool.function;
    const isStrict = strict === true;
    // The type is required even where a schema implies it by its branches alone.
    const schema = { type: 'object', ...parameters };
    return {
      name,
      ...(description && { description }),
      input_schema: isStrict ? toOutputSchema(schema) : schema,
      ...(isStrict && { strict: true }),
      ...toCacheControl(tool),
    };
  });
}

/** The choice of tools, and whether several may be called at once; undefined where it equals the wire's default. */
export function toAnthropicToolChoice({
  tool_choice: choice,
  parallel_tool_calls: isParallel,
}: ChatCompletionRequest): Block | undefined {
  const type = typeof choice === 'string' ? choice : choice ? 'named' : undefined;
  const single = isParallel === false ? { disable_parallel_tool_use: true } : {};
  switch (type) {
    case 'none':
      return { type: 'none' };
    case 'required':
      return { type: 'any', ...single };
    case 'named':
      return { type: 'tool', name: nameOf(choice), ...single };
    case 'auto':
      return { type: 'auto', ...single };
    default:
      return isParallel === false ? { type: 'auto', ...single } : undefined;
  }
}

function nameOf(choice: ChatCompletionRequest['tool_choice']): string {
  if (typeof choice === 'object' && choice !== null && choice.type === 'function') {
    return (choice as { function: { name: string } }).function.name;
  }
  throw refuseField('tool_choice.type', 'only functions can be chosen at this provider');
}
