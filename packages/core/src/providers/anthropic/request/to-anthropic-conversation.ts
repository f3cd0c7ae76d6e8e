import { isRecord } from '../../../foundation/parse.ts';
import type { ChatMessage, ReasoningDetail, ToolCall } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import { type Block, toBlocks } from './to-anthropic-content.ts';

/** The reasoning format that only this wire can read back (wire.md 6.6). */
export const REASONING_FORMAT = 'anthropic-claude-v1';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

export interface Conversation {
  readonly system: Block[];
  readonly messages: Turn[];
}

/**
 * Converts messages to the wire's system prompt (system and developer messages from any position, in order) and
 * alternating turns: neighbours of one role become one turn, with tool results first, as the wire requires. Throws
 * `invalid_request` that names what cannot be expressed.
 */
export function toAnthropicConversation(messages: readonly ChatMessage[]): Conversation {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...toBlocks(message.content, `${path}.content`));
        break;
      case 'user':
        addToTurn(turns, 'user', toBlocks(message.content, `${path}.content`));
        break;
      case 'assistant':
        addToTurn(turns, 'assistant', toAssistantBlocks(message, path));
        break;
      case 'tool':
        addResult(turns, toToolResult(message, path));
        break;
    }
  }
  trimPrefill(turns);
  if (turns.length === 0) {
    throw refuseField('messages', 'must have a user or assistant message that is not blank for this provider');
  }
  return { system, messages: turns };
}

function addToTurn(turns: Turn[], role: Turn['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else turns.push({ role, content: [...blocks] });
}

function addResult(turns: Turn[], result: Block): void {
  const last = turns.at(-1);
  if (last?.role !== 'user') {
    turns.push({ role: 'user', content: [result] });
    return;
  }
  const firstOther = last.content.findIndex(({ type }) => type !== 'tool_result');
  last.content.splice(firstOther < 0 ? last.content.length : firstOther, 0, result);
}

/** A completion that is to be continued may not end in white space on this wire. */
function trimPrefill(turns: Turn[]): void {
  const last = turns.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== 'assistant' || typeof block?.['text'] !== 'string') return;
  last.content[last.content.length - 1] = { ...block, text: block['text'].trimEnd() };
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

function toAssistantBlocks(message: AssistantMessage, path: string): Block[] {
  const blocks = toThinkingBlocks(message.reasoning_details ?? []);
  const text = toBlocks(message.content, `${path}.content`);
  for (const { type } of text) {
    if (type !== 'text') throw refuseField(`${path}.content`, 'an assistant message can only contain text here');
  }
  blocks.push(...(text.length > 0 ? text : toBlocks(message.refusal, `${path}.refusal`)));
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    blocks.push({
      type: 'tool_use',
      id: toToolId(call.id),
      name: call.function.name,
      input: toToolInput(call, `${path}.tool_calls.${index}.function.arguments`),
    });
  }
  return blocks;
}

/**
 * Restores earlier reasoning blocks. Streams send a block in pieces that end with its signature; clients send them back
 * joined or not. Blocks that are unsigned or of another wire would be refused, and are left out.
 */
function toThinkingBlocks(details: readonly ReasoningDetail[]): Block[] {
  const blocks: Block[] = [];
  let text = '';
  let index: unknown;
  for (const detail of details) {
    if ((detail['format'] ?? REASONING_FORMAT) !== REASONING_FORMAT) continue;
    const { data, signature } = detail;
    if (detail.type === 'reasoning.encrypted' && typeof data === 'string') {
      blocks.push({ type: 'redacted_thinking', data });
    }
    if (detail.type !== 'reasoning.text') continue;
    if (detail['index'] !== index) text = '';
    index = detail['index'];
    text += typeof detail['text'] === 'string' ? detail['text'] : '';
    if (typeof signature !== 'string' || signature === '') continue;
    blocks.push({ type: 'thinking', thinking: text, signature });
    text = '';
  }
  return blocks;
}

/** Ids of other wires may hold characters that this one refuses. */
const toToolId = (id: string): string => id.replace(/[^\w-]/g, '_');

function toToolInput({ function: { arguments: text } }: ToolCall, path: string): unknown {
  if (text.trim() === '') return {};
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw refuseField(path, 'must be JSON for this provider');
  }
  if (isRecord(input)) return input;
  throw refuseField(path, 'must be a JSON object for this provider');
}

/**
 * A mark at the end of the content becomes one of the whole block, and a text alone is a string whether it came so or
 * not: what a provider has cached begins with the same bytes with and without a mark.
 */
function toToolResult(message: Extract<ChatMessage, { role: 'tool' }>, path: string): Block {
  const given = typeof message.content === 'string' ? message.content : toBlocks(message.content, `${path}.content`);
  const { content, mark } = typeof given === 'string' ? { content: given, mark: {} } : toPlainContent(given);
  return {
    type: 'tool_result',
    tool_use_id: toToolId(message.tool_call_id),
    ...(content.length > 0 && { content }),
    ...mark,
  };
}

function toPlainContent(blocks: readonly Block[]): { content: string | readonly Block[]; mark: Block } {
  const { cache_control: control, ...last } = blocks.at(-1) ?? {};
  const mark = control === undefined ? {} : { cache_control: control };
  const isText = blocks.length === 1 && typeof last['text'] === 'string';
  if (isText) return { content: last['text'] as string, mark };
  return { content: control === undefined ? blocks : [...blocks.slice(0, -1), last], mark };
}
