import { openReasoning } from '../../wire/chat-chunk.ts';
import type { ChatMessage, ContentPart, ReasoningDetail, ToolCall } from '../../wire/chat-request.ts';
import type { KnownBlock, MessagesMessage, MessagesRequest, ToolResultBlock } from '../../wire/messages.ts';

/** The format of reasoning that Anthropic's models can read back (wire.md 6.6). */
export const ANTHROPIC_FORMAT = 'anthropic-claude-v1';

type Mark = { readonly cache_control: NonNullable<Extract<ContentPart, { type: 'text' }>['cache_control']> };
type TextPart = Extract<ContentPart, { type: 'text' }>;
type Block<Type extends KnownBlock['type']> = Extract<KnownBlock, { type: Type }>;

/**
 * Converts the system prompt and the messages. Every text stays a text of its own, so that what a guardrail does to one
 * is done to the same text in both forms. Blocks that only upstreams of this form know are left out.
 */
export function toChatMessages({ system, messages }: Pick<MessagesRequest, 'system' | 'messages'>): ChatMessage[] {
  const said: ChatMessage[] = [];
  if (system !== null && system !== undefined && system.length > 0) {
    said.push({ role: 'system', content: typeof system === 'string' ? system : toPlain(system.map(toTextPart)) });
  }
  for (const message of messages) addMessage(said, message);
  return said;
}

function addMessage(said: ChatMessage[], { role, content }: MessagesMessage): void {
  if (role === 'assistant') said.push(toAssistantMessage(content));
  else if (typeof content === 'string') said.push({ role, content });
  else if (role === 'system') {
    const parts = (content as KnownBlock[]).flatMap((block) => (block.type === 'text' ? [toTextPart(block)] : []));
    if (parts.length > 0) said.push({ role, content: toPlain(parts) });
  } else addUserTurn(said, content as readonly KnownBlock[]);
}

/** A single text is a plain one, which every upstream takes. */
function toPlain(texts: TextPart[]): string | TextPart[] {
  const [only, ...others] = texts;
  return only !== undefined && others.length === 0 && only.cache_control === undefined ? only.text : texts;
}

/** Results of tools become messages of their own, before the rest of the turn; their pictures go on to that rest. */
function addUserTurn(said: ChatMessage[], blocks: readonly KnownBlock[]): void {
  const parts: ContentPart[] = [];
  for (const block of blocks) {
    if (block.type === 'tool_result') said.push(toToolMessage(block, parts));
    else parts.push(...toParts(block));
  }
  if (parts.length > 0) said.push({ role: 'user', content: parts });
}

/** Says that a tool has failed, because chat completions have no field for it. */
const FAILED = 'Error: the tool call failed.';

function toToolMessage(block: ToolResultBlock, pictures: ContentPart[]): ChatMessage {
  const { tool_use_id, content, is_error: hasFailed } = block;
  const texts: TextPart[] = [];
  if (typeof content === 'string') texts.push({ type: 'text', text: content });
  for (const inner of typeof content === 'string' ? [] : ((content ?? []) as KnownBlock[])) {
    for (const part of toParts(inner)) {
      if (part.type === 'text') texts.push(part);
      else pictures.push(part);
    }
  }
  if (hasFailed === true) texts.unshift({ type: 'text', text: FAILED });
  const last = texts.at(-1);
  if (last !== undefined) Object.assign(last, toMark(block));
  return { role: 'tool', tool_call_id: tool_use_id, content: texts.length === 0 ? '' : toPlain(texts) };
}

function toAssistantMessage(content: MessagesMessage['content']): ChatMessage {
  if (typeof content === 'string') return { role: 'assistant', content };
  const texts: ContentPart[] = [];
  const details: ReasoningDetail[] = [];
  const calls: ToolCall[] = [];
  for (const block of content as readonly KnownBlock[]) {
    if (block.type === 'thinking') details.push(...toReasoning(block, details.length));
    else if (block.type === 'redacted_thinking') {
      details.push({ type: 'reasoning.encrypted', data: block.data, format: ANTHROPIC_FORMAT, index: details.length });
    } else if (block.type === 'tool_use') calls.push(toToolCall(block));
    else texts.push(...toParts(block));
  }
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/**
 * Reasoning of other providers has its own details in the signature, which sign the text or stand beside it; that without
 * any can be read only by people.
 */
function toReasoning({ thinking, signature }: Block<'thinking'>, index: number): ReasoningDetail[] {
  const own = openReasoning(signature ?? '');
  if (own !== null) {
    const [only] = own;
    if (only?.type === 'reasoning.text' && own.length === 1) return [{ ...only, text: thinking }];
    return thinking === '' ? own : [{ type: 'reasoning.text', text: thinking, format: 'unknown' }, ...own];
  }
  return signature
    ? [{ type: 'reasoning.text', text: thinking, signature, format: ANTHROPIC_FORMAT, index }]
    : [{ type: 'reasoning.text', text: thinking, format: 'unknown', index }];
}

const toToolCall = ({ id, name, input }: Block<'tool_use'>): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input ?? {}) },
});

function toParts(block: KnownBlock): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [toTextPart(block)];
    case 'image': {
      const url = toAddress(block.source);
      return url === null ? [] : [{ type: 'image_url', image_url: { url }, ...toMark(block) }];
    }
    case 'document':
      return toDocument(block);
    case 'search_result':
      return [
        { type: 'text', text: block.title },
        { type: 'text', text: block.source },
        ...block.content.map(toTextPart),
      ];
    default:
      return [];
  }
}

function toDocument(block: Block<'document'>): ContentPart[] {
  const { source, title, context } = block;
  const about = [title, context].flatMap((text): ContentPart[] => (text ? [{ type: 'text', text }] : []));
  if (source.type === 'text') return [...about, { type: 'text', text: source.data, ...toMark(block) }];
  if (source.type === 'content') {
    const inner =
      typeof source.content === 'string'
        ? [{ type: 'text' as const, text: source.content }]
        : source.content.flatMap((one) => toParts(one));
    return [...about, ...inner];
  }
  const address = toAddress(source);
  const filename = title ?? 'document.pdf';
  return address === null ? about : [{ type: 'file', file: { filename, file_data: address }, ...toMark(block) }];
}

/** Null for a file that was uploaded to upstream, which only an upstream of this form knows. */
function toAddress(source: Block<'image'>['source'] | Block<'document'>['source']): string | null {
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  return source.type === 'url' ? source.url : null;
}

const toTextPart = (block: Block<'text'>): TextPart => ({
  type: 'text',
  text: block.text,
  ...toMark(block),
});

function toMark({ cache_control: mark }: Pick<Block<'text'>, 'cache_control'>): Mark | undefined {
  return mark ? { cache_control: { type: 'ephemeral', ...(mark.ttl && { ttl: mark.ttl }) } } : undefined;
}
