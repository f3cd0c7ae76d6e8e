import { type ChatCompletionRequest, parseChatCompletion } from '../../wire/chat-request.ts';
import type { ResponsesRequest } from '../../wire/responses.ts';
import { toChatMessages } from './to-chat-messages.ts';
import type { ToolNames } from './tool-names.ts';

/** The fields that have the same name and form as those of chat completions. */
const SHARED_FIELDS = [
  ['model', 'models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user', 'session_id'],
  ['stream', 'temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'top_logprobs', 'metadata'],
  ['service_tier', 'prompt_cache_key', 'prompt_cache_options', 'cache_control', 'stop_server_tools_when'],
  ['max_tool_calls', 'parallel_tool_calls', 'modalities', 'image_config'],
].flat();

/** In place of the messages, which are checked item by item. */
const NO_MESSAGES = [{ role: 'user', content: '' }];

/** Converts a checked request. Throws `invalid_request` for a wrong item, or a wrong field that both forms share. */
export function toChatRequest(body: ResponsesRequest, names: ToolNames): ChatCompletionRequest {
  const shared: Record<string, unknown> = { messages: NO_MESSAGES };
  for (const field of SHARED_FIELDS) if (body[field] !== undefined) shared[field] = body[field];
  if (body.reasoning) shared['reasoning'] = toReasoning(body.reasoning);
  const { parallel_tool_calls: parallel, ...checked } = parseChatCompletion(shared);
  const choice = body.tool_choice;
  const tools = names.tools.filter(({ name }) => isAllowed(name, choice)).map(({ tool }) => tool);
  const { max_output_tokens: maxTokens, text } = body;
  return {
    ...checked,
    messages: toChatMessages(body, names),
    ...(maxTokens && { max_tokens: maxTokens }),
    ...(tools.length > 0 && {
      tools,
      ...toToolChoice(choice, names),
      ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
    }),
    ...toFormat(text),
    ...(text?.verbosity && { verbosity: text.verbosity }),
  };
}

const REASONING_FIELDS = ['effort', 'summary', 'max_tokens', 'enabled', 'exclude'];

function toReasoning(reasoning: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(reasoning).filter(([name]) => REASONING_FIELDS.includes(name)));
}

/** A choice may allow only some of the tools. */
function isAllowed(name: string, choice: ResponsesRequest['tool_choice']): boolean {
  if (typeof choice !== 'object' || choice === null || choice.type !== 'allowed_tools') return true;
  const allowed = choice['tools'];
  return !Array.isArray(allowed) || allowed.some((tool) => (tool as { name?: unknown } | null)?.name === name);
}

function toToolChoice(
  choice: ResponsesRequest['tool_choice'],
  names: ToolNames,
): Pick<ChatCompletionRequest, 'tool_choice'> {
  if (choice === null || choice === undefined) return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  const { type, name, mode, namespace } = choice;
  if (type === 'allowed_tools') return { tool_choice: mode === 'required' ? 'required' : 'auto' };
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return {};
  const called = names.nameOf(name, typeof namespace === 'string' ? namespace : null);
  return { tool_choice: { type: 'function', function: { name: called } } };
}

function toFormat(text: ResponsesRequest['text']): Pick<ChatCompletionRequest, 'response_format'> {
  const { format } = text ?? {};
  if (!format || format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const { name, schema, strict, description } = format;
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        name,
        schema,
        ...(typeof strict === 'boolean' && { strict }),
        ...(description && { description }),
      },
    },
  };
}
