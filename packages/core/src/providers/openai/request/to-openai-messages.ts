import type { ChatMessage, ContentPart } from '../../../wire/chat-request.ts';
import type { ChatCall } from '../../provider.ts';
import type { OpenAiDialect } from '../openai-dialect.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;
type ToId = (id: string) => string;

/** GPT-5.6 and newer: older models refuse the mark. */
const KNOWS_BREAKPOINTS = /^gpt-(5\.([6-9]|\d\d)|[6-9]|\d\d)/;

/** Whether OpenAI's own marks for its cache may be sent. */
export const knowsBreakpoints = (providerModel: string, { cacheMarks }: OpenAiDialect): boolean =>
  cacheMarks === 'prompt_cache_breakpoint' && KNOWS_BREAKPOINTS.test(providerModel);

/** Converts a conversation. Marks and fields that the server does not support are left out; texts never change. */
export function toOpenAiMessages(
  { request, providerModel }: Pick<ChatCall, 'request' | 'providerModel'>,
  dialect: OpenAiDialect,
): Record<string, unknown>[] {
  const toId = dialect.toolCallIds === 'any' ? (id: string) => id : createShortIds();
  const isMarkKnown = dialect.cacheMarks !== 'prompt_cache_breakpoint' || knowsBreakpoints(providerModel, dialect);
  const known = isMarkKnown ? dialect : { ...dialect, cacheMarks: null };
  const messages = request.messages.map((message) => toUpstreamMessage(message, known, toId));
  if (request.cache_control && known.cacheMarks === 'cache_control') markEnd(messages, request.cache_control);
  return messages;
}

/** Marks the end of the conversation, which is what a mark on the whole request means (wire.md 6.7). */
function markEnd(messages: readonly Record<string, unknown>[], control: Record<string, unknown>): void {
  const last = messages.findLast(({ role, content }) => role !== 'assistant' && content !== '');
  if (last === undefined) return;
  const { content } = last;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : [...(content as UpstreamPart[])];
  const index = parts.findLastIndex(({ type }) => type === 'text' || type === 'image_url' || type === 'file');
  const part = parts[index];
  if (part === undefined) return;
  parts[index] = { cache_control: withoutNulls(control), ...part };
  last['content'] = parts;
}

type UpstreamPart = Record<string, unknown>;

/** An object without those of its fields that are null or undefined. */
export function withoutNulls(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

function toUpstreamMessage(message: ChatMessage, dialect: OpenAiDialect, toId: ToId): Record<string, unknown> {
  const role = message.role === 'developer' && !dialect.knowsDeveloperRole ? 'system' : message.role;
  const upstream: Record<string, unknown> = { role };
  if (message.content !== undefined) {
    // A message of the model cannot end a cached part in OpenAI's own form.
    const isUnmarked = role === 'assistant' && dialect.cacheMarks === 'prompt_cache_breakpoint';
    upstream['content'] = toUpstreamContent(message.content, isUnmarked ? { ...dialect, cacheMarks: null } : dialect);
  }
  if (typeof message.name === 'string' && dialect.knowsMessageExtras) upstream['name'] = message.name;
  if (message.role === 'tool') upstream['tool_call_id'] = toId(message.tool_call_id);
  if (message.role === 'assistant') {
    if (message.tool_calls && message.tool_calls.length > 0) {
      upstream['tool_calls'] = message.tool_calls.map((call) => ({ ...call, id: toId(call.id) }));
    }
    if (dialect.knowsMessageExtras) {
      if (typeof message.refusal === 'string') upstream['refusal'] = message.refusal;
      if (message.audio) upstream['audio'] = message.audio;
    } else if (typeof message.refusal === 'string') upstream['content'] ??= message.refusal;
    addEarlierReasoning(upstream, message, dialect);
  }
  return upstream;
}

/** Only reasoning that led to tool calls, which some servers require; other reasoning is ignored at best. */
function addEarlierReasoning(
  upstream: Record<string, unknown>,
  message: AssistantMessage,
  { earlierReasoning }: OpenAiDialect,
): void {
  if (earlierReasoning === null) return;
  if (earlierReasoning === 'reasoning_details') {
    if (message.reasoning_details && message.reasoning_details.length > 0) {
      upstream['reasoning_details'] = message.reasoning_details;
    }
    return;
  }
  const text = message.reasoning ?? message.reasoning_content ?? textOfDetails(message);
  if (text === '' || !message.tool_calls || message.tool_calls.length === 0) return;
  if (earlierReasoning !== 'thinking-part') {
    upstream[earlierReasoning] = text;
    return;
  }
  const content = upstream['content'];
  const said = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : content;
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text }] };
  upstream['content'] = [thinking, ...(Array.isArray(said) ? (said as unknown[]) : [])];
}

function textOfDetails({ reasoning_details: details }: AssistantMessage): string {
  return (details ?? []).map(({ text, summary }) => textOf(text) + textOf(summary)).join('');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toUpstreamContent(content: ChatMessage['content'], dialect: OpenAiDialect): unknown {
  return Array.isArray(content) ? content.map((part) => toUpstreamPart(part, dialect)) : content;
}

/** Removes marks of other wires, because some upstreams refuse unknown fields. */
function toUpstreamPart(part: ContentPart, dialect: OpenAiDialect): Record<string, unknown> {
  const mark = toCacheMark(part, dialect);
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...mark };
    case 'image_url':
      return { type: 'image_url', image_url: withoutNulls(part.image_url), ...mark };
    case 'file':
      return dialect.fileParts === 'document_url' && part.file.file_data
        ? withoutNulls({
            type: 'document_url',
            document_url: part.file.file_data,
            document_name: part.file.filename,
          })
        : { type: 'file', file: withoutNulls(part.file), ...mark };
    case 'input_video':
      return { type: 'video_url', video_url: part.video_url };
    default:
      return part;
  }
}

function toCacheMark(part: ContentPart, { cacheMarks }: OpenAiDialect): Record<string, unknown> {
  if (cacheMarks === null) return {};
  const control = 'cache_control' in part ? part.cache_control : undefined;
  const isBreakpoint = 'prompt_cache_breakpoint' in part && part.prompt_cache_breakpoint?.mode === 'explicit';
  if (!control && !isBreakpoint) return {};
  return cacheMarks === 'cache_control'
    ? { cache_control: withoutNulls(control ?? { type: 'ephemeral' }) }
    : { prompt_cache_breakpoint: { mode: 'explicit' } };
}

/**
 * Replaces ids that are not nine letters or digits by valid ones, the same one for a call and its result. They are
 * numbered within the conversation, so that no state is needed between requests.
 */
function createShortIds(): ToId {
  const made = new Map<string, string>();
  return (id) => {
    if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
    const short = made.get(id) ?? `call${String(made.size).padStart(5, '0')}`;
    made.set(id, short);
    return short;
  };
}
