import {
  type ChatCompletionRequest,
  type ChatMessage,
  type ContentPart,
  parseChatCompletion,
} from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import type { OllamaCall, OllamaChatRequest, OllamaGenerateRequest, OllamaMessage } from '../../wire/ollama.ts';

/**
 * Fields with the names and forms of chat completions: the gateway's own, and parameters for which this form has no name,
 * or another one in `options`, before which they go.
 */
const SHARED_FIELDS = [
  ['model', 'models', 'provider', 'plugins', 'route', 'preset', 'transforms', 'debug', 'trace', 'user', 'session_id'],
  ['temperature', 'top_p', 'top_k', 'min_p', 'top_a', 'seed', 'stop', 'max_tokens', 'max_completion_tokens'],
  ['repetition_penalty', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ['reasoning', 'reasoning_effort', 'verbosity', 'response_format', 'service_tier', 'cache_control', 'metadata'],
  ['tool_choice', 'parallel_tool_calls', 'max_tool_calls', 'stop_server_tools_when'],
].flat();

/** Converts a checked request of `POST /api/chat`. Throws `invalid_request` for a wrong field that both forms share. */
export function toChatRequest({ tools, ...body }: OllamaChatRequest): ChatCompletionRequest {
  const functions = tools?.map((tool) => ({ ...tool, type: tool.type || 'function' }));
  return toRequest(body, toChatMessages(body.messages ?? []), functions?.length ? { tools: functions } : {});
}

/** Converts a checked request of `POST /api/generate`. Throws `invalid_request`. */
export function toPromptRequest(body: OllamaGenerateRequest): ChatCompletionRequest {
  const { prompt, system, images, raw } = body;
  if (raw === true && system) throw refuseField('system', 'must be empty with raw: true');
  const messages: ChatMessage[] = system ? [{ role: 'system', content: system }] : [];
  return toRequest(body, [...messages, { role: 'user', content: toContent(prompt ?? '', images) }], {});
}

function toRequest(
  body: OllamaCall,
  messages: readonly ChatMessage[],
  tools: { readonly tools?: readonly object[] },
): ChatCompletionRequest {
  const sent: Record<string, unknown> = { ...toParameters(body), ...toReasoning(body), ...toFormat(body), ...tools };
  for (const field of SHARED_FIELDS) if (body[field] != null) sent[field] = body[field];
  // Upstreams refuse a choice without tools.
  if (tools.tools === undefined) delete sent['tool_choice'];
  // These clients stream unless they say otherwise.
  return parseChatCompletion({ ...sent, messages, stream: body.stream !== false });
}

function toParameters({ options }: OllamaCall): Record<string, unknown> {
  const { temperature, top_p, top_k, min_p, seed, num_predict: limit, stop, ...penalties } = options ?? {};
  const { repeat_penalty: repetition_penalty, presence_penalty, frequency_penalty } = penalties;
  const sent = { temperature, top_p, top_k, min_p, seed, repetition_penalty, presence_penalty, frequency_penalty };
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value != null));
  return {
    ...given,
    ...(limit != null && limit > 0 && { max_tokens: limit }),
    ...(stop != null && stop.length > 0 && { stop }),
  };
}

function toReasoning({ think }: OllamaCall): Pick<ChatCompletionRequest, 'reasoning'> {
  if (think === undefined || think === null || think === '') return {};
  return { reasoning: typeof think === 'boolean' ? { enabled: think } : { effort: think } };
}

/** Without `strict`, which upstreams refuse for schemas as these clients write them. */
function toFormat({ format }: OllamaCall): Pick<ChatCompletionRequest, 'response_format'> {
  if (!format) return {};
  if (format === 'json') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema: format } } };
}

/**
 * Converts the messages. Calls of tools have no ids in this form, or have had none for long: a result then belongs to the
 * first call of that tool that has no result yet. Throws `invalid_request` for one that belongs to no call.
 */
function toChatMessages(messages: readonly OllamaMessage[]): ChatMessage[] {
  /** Calls without a result. */
  let open: { readonly id: string; readonly name: string }[] = [];
  const given = new Set(messages.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []));
  let number = 0;
  const makeId = (): string => {
    do number += 1;
    while (given.has(`call_${number}`));
    return `call_${number}`;
  };
  const takeCall = ({ tool_call_id: id, tool_name, name }: OllamaMessage, index: number): string => {
    const tool = tool_name ?? name;
    const isMeant = (call: { readonly name: string }): boolean => tool == null || call.name === tool;
    const found = open.find((call) => call.id === id) ?? open.find(isMeant);
    if (found === undefined) throw refuseField(`messages.${index}`, 'is the result of no tool call before it');
    open = open.filter((call) => call !== found);
    return found.id;
  };
  return messages.map((message, index): ChatMessage => {
    const { role, images, thinking, tool_calls: made } = message;
    const content = message.content ?? '';
    switch (role) {
      case 'system':
        return { role, content };
      case 'user':
        return { role, content: toContent(content, images) };
      case 'tool':
        return { role, content: toContent(content, images), tool_call_id: takeCall(message, index) };
      case 'assistant': {
        const sent = (made ?? []).map(({ id, function: { name, arguments: args } }) => ({
          id: id || makeId(),
          type: 'function' as const,
          function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
        }));
        open.push(...sent.map((call) => ({ id: call.id, name: call.function.name })));
        return {
          role,
          content,
          ...(thinking && { reasoning: thinking }),
          ...(sent.length > 0 && { tool_calls: sent }),
        };
      }
    }
  });
}

function toContent(text: string, images: OllamaMessage['images']): string | ContentPart[] {
  if (!images || images.length === 0) return text;
  const parts = images.map((data) => ({ type: 'image_url' as const, image_url: { url: toDataUrl(data) } }));
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
}

/** How the base64 of a kind of image begins. */
const BEGINNINGS: readonly (readonly [beginning: string, type: string])[] = [
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** These clients send the bytes alone, from which upstreams cannot tell what they are. */
function toDataUrl(data: string): string {
  if (data.startsWith('data:')) return data;
  const type = BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'image/png';
  return `data:${type};base64,${data}`;
}
