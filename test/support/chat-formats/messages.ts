import type { GatewayResponse } from '@model-gateway/core';

import { jsonOf } from '../gateways/core-gateway.ts';
import {
  type ChatBody,
  type ChatMessage,
  type ChatFormat,
  expectThat,
  isStream,
  readEvents,
  wholeOf,
} from './chat-format.ts';

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  name?: string;
  input?: unknown;
}

interface Message {
  readonly content: readonly Block[];
  readonly stop_reason: string | null;
  readonly usage: Readonly<Record<string, unknown>>;
}

interface Event {
  readonly type: string;
  readonly index: number;
  readonly message: Message & { readonly id: string };
  readonly content_block: Block;
  readonly delta: Readonly<Record<string, string>> & { readonly type: string };
  readonly usage: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: string; readonly message: string };
}

const FINISHES: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

export const messagesFormat: ChatFormat = {
  name: 'messages',
  path: '/api/v1/messages',
  toBody: toMessages,
  async read(response) {
    const message = isStream(response) ? await readStream(response) : (wholeOf(response) as unknown as Message);
    const join = (type: string, field: 'text' | 'thinking'): string | null =>
      message.content.map((block) => (block.type === type ? (block[field] ?? '') : '')).join('') || null;
    const { usage } = message;
    const cached = Number(usage['cache_read_input_tokens']);
    return {
      content: join('text', 'text'),
      reasoning: join('thinking', 'thinking'),
      calls: message.content
        .filter(({ type }) => type === 'tool_use')
        .map(({ name = '', input }) => [name, input] as const),
      finish: FINISHES[message.stop_reason ?? ''] ?? String(message.stop_reason),
      usage: {
        prompt: Number(usage['input_tokens']) + cached + Number(usage['cache_creation_input_tokens']),
        cached,
        completion: Number(usage['output_tokens']),
        cost: usage['cost'],
      },
    };
  },
  async readError(response) {
    if (!isStream(response)) {
      const { type, error } = jsonOf(response) as unknown as Event;
      expectThat(type === 'error', 'the envelope is no error');
      return { ...error, text: '' };
    }
    const events = (await readEvents(response)).map(({ data }) => JSON.parse(data) as Event);
    const last = events.at(-1);
    expectThat(last?.type === 'error', `the last event is ${last?.type}`);
    expectThat(
      !events.some(({ type }) => type === 'message_delta' || type === 'message_stop'),
      'an end beside the error',
    );
    return {
      ...last.error,
      text: events.map(({ delta }) => (delta?.type === 'text_delta' ? delta['text'] : '')).join(''),
    };
  },
};

/** Puts a stream together, as strictly as the most strict client does: one block open at a time, numbers without gaps. */
async function readStream(response: GatewayResponse): Promise<Message> {
  const content: Block[] = [];
  let usage: Record<string, unknown> = {};
  let json = '';
  let isOpen = false;
  let stopReason: string | null = null;
  let phase: 'new' | 'on' | 'delta' | 'over' = 'new';
  for (const { name, data } of await readEvents(response)) {
    const event = JSON.parse(data) as Event;
    expectThat(name === event.type, `the event ${event.type} is named ${name}`);
    const block = content[event.index];
    switch (event.type) {
      case 'ping':
        break;
      case 'message_start':
        expectThat(phase === 'new' && event.message.content.length === 0, 'message_start is not the first');
        phase = 'on';
        usage = { ...event.message.usage };
        break;
      case 'content_block_start':
        expectThat(
          phase === 'on' && !isOpen && event.index === content.length,
          `block ${event.index} starts out of turn`,
        );
        content.push({ ...event.content_block });
        isOpen = true;
        json = '';
        break;
      case 'content_block_delta': {
        expectThat(isOpen && event.index === content.length - 1 && block !== undefined, 'a delta of no open block');
        const { type, text = '', thinking = '', signature, partial_json = '' } = event.delta;
        if (type === 'text_delta') block.text = `${block.text}${text}`;
        else if (type === 'thinking_delta') block.thinking = `${block.thinking}${thinking}`;
        else if (type === 'signature_delta') block.signature = signature ?? '';
        else json += partial_json;
        break;
      }
      case 'content_block_stop':
        expectThat(isOpen && block !== undefined, 'a stop of no open block');
        if (block.type === 'tool_use') block.input = json === '' ? {} : JSON.parse(json);
        isOpen = false;
        break;
      case 'message_delta':
        expectThat(phase === 'on' && !isOpen, 'message_delta out of turn');
        phase = 'delta';
        stopReason = event.delta['stop_reason'] ?? null;
        usage = { ...usage, ...Object.fromEntries(Object.entries(event.usage).filter(([, value]) => value !== null)) };
        break;
      case 'message_stop':
        expectThat(phase === 'delta', 'message_stop out of turn');
        phase = 'over';
        break;
      default:
        throw new Error(`unexpected event ${event.type}`);
    }
  }
  expectThat(phase === 'over', 'the stream has no end');
  return { content, usage, stop_reason: stopReason };
}

type Part = {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly file?: { readonly filename: string; readonly file_data: string };
};

function toMessages({
  messages,
  tools,
  tool_choice: choice,
  response_format: format,
  reasoning,
  max_tokens,
  ...rest
}: ChatBody): object {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => ({ type: 'text', text: content }));
  const effort = (reasoning as { effort?: string } | undefined)?.effort;
  const schema = (format as { json_schema?: { schema: object } } | undefined)?.json_schema?.schema;
  return {
    ...rest,
    max_tokens: max_tokens ?? 1000,
    ...(system.length > 0 && { system }),
    messages: messages.filter(({ role }) => role !== 'system').map(toTurn),
    ...(Array.isArray(tools) && {
      tools: (tools as { function: { name: string; description?: string; parameters?: object } }[]).map(
        ({ function: { name, description, parameters } }) => ({
          name,
          description,
          input_schema: parameters ?? { type: 'object', properties: {} },
        }),
      ),
    }),
    ...(choice === 'auto' && { tool_choice: { type: 'auto' } }),
    ...((effort ?? schema) && {
      output_config: { ...(effort && { effort }), ...(schema && { format: { type: 'json_schema', schema } }) },
    }),
  };
}

function toTurn({ role, content, tool_calls: calls, tool_call_id: id }: ChatMessage): object {
  if (role === 'tool') return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
  if (calls === undefined)
    return { role, content: Array.isArray(content) ? (content as Part[]).map(toBlock) : content };
  return {
    role,
    content: calls.map(({ id, function: { name, arguments: args } }) => ({
      type: 'tool_use',
      id,
      name,
      input: JSON.parse(args) as unknown,
    })),
  };
}

function toBlock({ type, text, image_url: image, file }: Part): object {
  if (type === 'text') return { type, text };
  const address = image?.url ?? file?.file_data ?? '';
  const { media, data } = /^data:(?<media>[^;]+);base64,(?<data>.*)$/.exec(address)?.groups ?? {};
  return {
    type: file === undefined ? 'image' : 'document',
    source: { type: 'base64', media_type: media, data },
    ...(file && { title: file.filename }),
  };
}
