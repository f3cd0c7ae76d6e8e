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

interface Text {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
}

interface Item {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly input?: string;
  readonly content?: readonly Text[];
  readonly summary?: readonly Text[];
}

interface Response {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
  readonly incomplete_details: { readonly reason: string } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly input_tokens_details: { readonly cached_tokens: number };
    readonly output_tokens: number;
    readonly cost?: unknown;
  } | null;
}

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: Response;
  readonly item?: Item;
  readonly item_id?: string;
  readonly output_index?: number;
  readonly delta?: string;
}

export const responsesFormat: ChatFormat = {
  name: 'responses',
  path: '/api/v1/responses',
  toBody: toResponses,
  async read(response) {
    const {
      output,
      status,
      incomplete_details: incomplete,
      usage,
    } = isStream(response) ? await readStream(response) : (wholeOf(response) as unknown as Response);
    const calls = output.filter(({ type }) => type === 'function_call');
    const texts = (type: string, field: 'content' | 'summary'): string =>
      output
        .flatMap((item) => (item.type === type ? (item[field] ?? []) : []))
        .map(({ text, refusal }) => text ?? refusal ?? '')
        .join('');
    const ended = calls.length > 0 ? 'tool_calls' : 'stop';
    return {
      content: texts('message', 'content') || null,
      reasoning: texts('reasoning', 'summary') + texts('reasoning', 'content') || null,
      calls: calls.map(({ name = '', arguments: args = '' }) => [name, JSON.parse(args) as unknown] as const),
      finish:
        status === 'incomplete' ? (incomplete?.reason === 'max_output_tokens' ? 'length' : 'content_filter') : ended,
      usage: {
        prompt: usage?.input_tokens ?? -1,
        cached: usage?.input_tokens_details.cached_tokens ?? -1,
        completion: usage?.output_tokens ?? -1,
        cost: usage?.cost,
      },
    };
  },
  async readError(response) {
    if (!isStream(response)) {
      const { error } = jsonOf(response) as { error: { message: string; metadata: { error_type: string } } };
      return { type: error.metadata.error_type, message: error.message, text: '' };
    }
    const events = toEvents(await readEvents(response));
    const last = events.at(-1);
    expectThat(
      last?.type === 'response.failed' && last.response?.status === 'failed',
      `the last event is ${last?.type}`,
    );
    const { code = '', message = '' } = last.response.error ?? {};
    return {
      type: code,
      message,
      text: events.map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')).join(''),
    };
  },
};

/** The events of a stream, of which the last is followed by `[DONE]`; their numbers have no gaps. */
function toEvents(events: readonly { readonly name: string | undefined; readonly data: string }[]): Event[] {
  expectThat(events.at(-1)?.data === '[DONE]', 'the stream does not end with [DONE]');
  return events.slice(0, -1).map(({ name, data }, index) => {
    const event = JSON.parse(data) as Event;
    expectThat(name === event.type, `the event ${event.type} is named ${name}`);
    expectThat(event.sequence_number === index, `event ${index} has the number ${event.sequence_number}`);
    return event;
  });
}

/** Checks the order of a stream, as the accumulator of the official client does; returns the response at its end. */
async function readStream(response: GatewayResponse): Promise<Response> {
  const events = toEvents(await readEvents(response));
  expectThat(events[0]?.type === 'response.created' && events[1]?.type === 'response.in_progress', 'no beginning');
  const ids = new Set<string>();
  const done: Item[] = [];
  const deltas = new Map<string, string>();
  let open: Item | undefined;
  for (const { type, item, item_id: id, output_index: index, delta } of events.slice(2, -1)) {
    if (type === 'response.output_item.added' && item !== undefined) {
      expectThat(
        open === undefined && index === done.length && !ids.has(item.id),
        `item ${item.id} is added out of turn`,
      );
      ids.add(item.id);
      open = item;
    } else if (type === 'response.output_item.done' && item !== undefined) {
      expectThat(open?.id === item.id && index === done.length, `item ${item.id} is done out of turn`);
      done.push(item);
      open = undefined;
    } else {
      expectThat(open !== undefined && id === open.id && index === done.length, `${type} belongs to no open item`);
      if (delta !== undefined) deltas.set(id, (deltas.get(id) ?? '') + delta);
    }
  }
  for (const item of done) {
    const { id, arguments: args, input, content = [], summary = [] } = item;
    const said = args ?? input ?? [...summary, ...content].map(({ text, refusal }) => text ?? refusal ?? '').join('');
    expectThat(said === (deltas.get(id) ?? ''), `the deltas of ${item.type} do not add up`);
  }
  const last = events.at(-1);
  expectThat(last?.response !== undefined && last.type === `response.${last.response.status}`, `no end: ${last?.type}`);
  expectThat(JSON.stringify(last.response.output) === JSON.stringify(done), 'the output differs from its items');
  return last.response;
}

type Part = {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
  readonly file?: { readonly filename: string; readonly file_data: string };
};

function toResponses({ messages, tools, response_format: format, max_tokens, ...rest }: ChatBody): object {
  const schema = (format as { json_schema?: object } | undefined)?.json_schema;
  return {
    ...rest,
    input: messages.flatMap(toItems),
    ...(max_tokens !== undefined && { max_output_tokens: max_tokens }),
    ...(Array.isArray(tools) && {
      tools: (tools as { function: object }[]).map(({ function: called }) => ({ type: 'function', ...called })),
    }),
    ...(schema && { text: { format: { type: 'json_schema', ...schema } } }),
  };
}

function toItems({ role, content, tool_calls: calls, tool_call_id: id }: ChatMessage): object[] {
  if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: content }];
  if (calls !== undefined) {
    return calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function }));
  }
  return [{ type: 'message', role, content: Array.isArray(content) ? (content as Part[]).map(toPart) : content }];
}

function toPart({ type, text, image_url: image, file }: Part): object {
  if (type === 'text') return { type: 'input_text', text };
  return file === undefined
    ? { type: 'input_image', image_url: image?.url, detail: 'auto' }
    : { type: 'input_file', ...file };
}
