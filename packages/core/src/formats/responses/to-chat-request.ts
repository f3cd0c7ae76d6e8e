import { parseWith } from '../../foundation/parse.ts';
import { openReasoning } from '../../wire/chat-chunk.ts';
import {
  type ChatCompletionRequest,
  type ChatMessage,
  type ContentPart,
  parseChatCompletion,
  type ReasoningDetail,
  type ToolCall,
} from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import { isOwnItemId } from '../../wire/response-items.ts';
import {
  type CallItem,
  ITEM_SCHEMAS,
  type MessageItem,
  type OutputItem,
  type ReasoningItem,
  type ResponsesContent,
  type ResponsesPart,
  type ResponsesRequest,
} from '../../wire/responses.ts';
import { RESPONSES_SHARED_FIELDS } from '../../wire/values.ts';
import { CUSTOM_PROPERTY, type ToolNames } from './tool-names.ts';

const SHARED_FIELDS = ['model', 'stream', 'parallel_tool_calls', ...RESPONSES_SHARED_FIELDS];

const LOG_PROBABILITIES = 'message.output_text.logprobs';

/** In place of the messages, which are checked item by item. */
const NO_MESSAGES = [{ role: 'user', content: '' }];

/** Converts a checked request. Throws `invalid_request` for a wrong item, or a wrong field that both forms share. */
export function toChatRequest(body: ResponsesRequest, names: ToolNames): ChatCompletionRequest {
  const shared: Record<string, unknown> = { messages: NO_MESSAGES };
  for (const field of SHARED_FIELDS) if (body[field] !== undefined) shared[field] = body[field];
  // Chats have no number of alternatives without the probabilities themselves.
  if (wantsLogprobs(body)) shared['logprobs'] = true;
  else if (body['top_logprobs'] === 0) delete shared['top_logprobs'];
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

/** Whether the caller asks for the probabilities of tokens, in either of the two ways. */
export function wantsLogprobs({ include, top_logprobs: top }: ResponsesRequest): boolean {
  return include?.includes(LOG_PROBABILITIES) === true || (typeof top === 'number' && top > 0);
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

type TextPart = Extract<ContentPart, { type: 'text' }>;

/** One turn of a model: reasoning, texts and calls that follow each other as items. */
interface AssistantTurn {
  readonly parts: ContentPart[];
  readonly details: ReasoningDetail[];
  readonly calls: ToolCall[];
}

/**
 * Converts instructions and items. Items of one turn become one message of the assistant; pictures in the result of a
 * tool go into a message of the user after it. Throws `invalid_request` that names a wrong item, or one that refers to
 * another, as nothing is kept here.
 */
function toChatMessages({ instructions, input }: ResponsesRequest, names: ToolNames): ChatMessage[] {
  const said: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  if (typeof input === 'string') return [...said, { role: 'user', content: input }];
  let turn: AssistantTurn | null = null;
  let pictures: ContentPart[] = [];
  const endTurn = (): void => {
    if (turn !== null) said.push(toAssistantMessage(turn));
    turn = null;
  };
  const endResults = (): void => {
    if (pictures.length > 0) said.push({ role: 'user', content: pictures });
    pictures = [];
  };
  const turnOf = (): AssistantTurn => {
    endResults();
    return (turn ??= { parts: [], details: [], calls: [] });
  };
  for (const [index, item] of input.entries()) {
    const within = `input.${index}`;
    const type = item.type ?? 'message';
    switch (type) {
      case 'message': {
        const message = parseWith(ITEM_SCHEMAS.message, item.type === null ? { ...item, type: 'message' } : item, {
          within,
        });
        if (message.role === 'assistant') turnOf().parts.push(...toParts(message.content));
        else {
          endTurn();
          endResults();
          said.push(toMessage(message));
        }
        break;
      }
      case 'reasoning':
        turnOf().details.push(...toDetails(parseWith(ITEM_SCHEMAS.reasoning, item, { within })));
        break;
      case 'function_call':
      case 'custom_tool_call':
        turnOf().calls.push(toToolCall(parseWith(ITEM_SCHEMAS[type], item, { within }), names));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        endTurn();
        said.push(toToolMessage(parseWith(ITEM_SCHEMAS[type], item, { within }), pictures));
        break;
      case 'item_reference':
        throw refuseField(
          within,
          'cannot be found: this gateway finds no single items; send the item itself, or previous_response_id',
        );
      default:
      // What only an upstream of this form knows is in the native form.
    }
  }
  endTurn();
  endResults();
  if (said.length === 0) throw refuseField('input', 'must have a message');
  return said;
}

function toMessage({ role, content }: MessageItem): ChatMessage {
  if (role === 'user') return { role, content: typeof content === 'string' ? content : toParts(content) };
  const texts = toParts(content).filter((part): part is TextPart => part.type === 'text');
  return { role: role === 'developer' ? 'developer' : 'system', content: toContent(texts) };
}

/** A single text is a plain one, which every upstream takes. */
function toContent(texts: TextPart[]): string | TextPart[] {
  const only = texts.length === 1 ? texts[0]?.text : undefined;
  return only ?? (texts.length === 0 ? '' : texts);
}

function toAssistantMessage({ parts, details, calls }: AssistantTurn): ChatMessage {
  const texts = parts.filter((part): part is TextPart => part.type === 'text');
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : toContent(texts),
    ...(details.length > 0 && { reasoning_details: details.map((detail, index) => ({ ...detail, index })) }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function toToolMessage({ call_id, output }: OutputItem, pictures: ContentPart[]): ChatMessage {
  const parts = toParts(output);
  const texts = parts.filter((part): part is TextPart => part.type === 'text');
  pictures.push(...parts.filter(({ type }) => type !== 'text'));
  return { role: 'tool', tool_call_id: call_id, content: toContent(texts) };
}

function toToolCall(item: CallItem, names: ToolNames): ToolCall {
  const { call_id: id, name, namespace } = item;
  const args = item.type === 'custom_tool_call' ? JSON.stringify({ [CUSTOM_PROPERTY]: item.input }) : item.arguments;
  return { id, type: 'function', function: { name: names.nameOf(name, namespace), arguments: args } };
}

/** Clients send back the encrypted content and may drop other fields, so what is in it counts more. */
function toDetails(item: ReasoningItem): ReasoningDetail[] {
  const { summary, content, encrypted_content: sealed, signature, format, id } = item;
  const opened = openReasoning(sealed ?? '');
  if (opened !== null && opened.length > 0) return opened;
  const named = { ...(format && { format }), ...(typeof id === 'string' && !isOwnItemId(id) && { id }) };
  // The gateway gives all texts back as a summary. A signature is that of the last one.
  if (signature) {
    const texts = [...(summary ?? []), ...(content ?? [])];
    const signed = { type: 'reasoning.text', text: texts.pop()?.text ?? '', signature, ...named };
    return [...texts.map(({ text }) => ({ type: 'reasoning.text', text })), signed];
  }
  const details: ReasoningDetail[] = [
    ...(summary ?? []).map(({ text }) => ({ type: 'reasoning.summary', summary: text, ...named })),
    ...(content ?? []).map(({ text }) => ({ type: 'reasoning.text', text, ...named })),
  ];
  if (sealed && opened === null) {
    details.push({ type: 'reasoning.encrypted', data: sealed, format: 'openai-responses-v1', ...named });
  }
  return details;
}

function toParts(content: ResponsesContent): ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.flatMap(toPart);
}

function toPart(part: ResponsesPart): ContentPart[] {
  switch (part.type) {
    case 'input_image':
      return part.image_url
        ? [{ type: 'image_url', image_url: { url: part.image_url, ...(part.detail && { detail: part.detail }) } }]
        : [];
    case 'input_file': {
      const address = part.file_data ?? part.file_url;
      return address ? [{ type: 'file', file: { filename: part.filename ?? 'file.pdf', file_data: address } }] : [];
    }
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: { data: part.input_audio.data, format: part.input_audio.format } }];
    case 'input_video':
      return [{ type: 'video_url', video_url: { url: part.video_url } }];
    case 'refusal':
      return [{ type: 'text', text: part.refusal }];
    default:
      return [{ type: 'text', text: part.text }];
  }
}
