import { createServer, type ServerResponse } from 'node:http';

import { startApp } from '../conformance/hosts.ts';
import { chunkings } from '../upstreams/chunkings.ts';

/** What a server of gpt-oss was sent for one call. */
interface OssCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface GptOss {
  /** With the version segment. */
  readonly baseUrl: string;
  readonly calls: readonly OssCall[];
  close(): Promise<void>;
}

/** What the model does in a turn: it thinks, and then calls a tool, or says something. */
interface Turn {
  readonly thought: string;
  readonly call?: { readonly name: string; readonly args: string };
  readonly text?: string;
}

/** `Call <tool> with <JSON>` makes the model call that tool; what the tool returns makes it say so. */
const ORDER = /Call (\w+) with (\{.*\})/s;

function toTurn(lastSaid: string, result: string | null): Turn {
  if (result !== null) return { thought: 'I have the result now.', text: `The tool says: ${result}` };
  const [, name = '', args = '{}'] = ORDER.exec(lastSaid) ?? [];
  return { thought: `The user wants ${name}. ☕ Let me call it.`, call: { name, args } };
}

/**
 * Starts a server that does with both forms of the API what servers of gpt-oss do, vLLM among them: the reasoning comes
 * raw, as `reasoning` of a message, or as an item with `reasoning_text`. Its streams come in changing chunkings.
 */
export async function startGptOss(): Promise<GptOss> {
  const calls: OssCall[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => void (text += piece));
    request.on('end', () => {
      const call = { path: request.url ?? '', body: JSON.parse(text) as OssCall['body'] };
      calls.push(call);
      const { whole, events } = call.path.endsWith('/responses') ? toResponse(call.body) : toCompletion(call.body);
      if (call.body['stream'] !== true)
        response.setHeader('content-type', 'application/json').end(JSON.stringify(whole));
      else void sendPieces(response, events, calls.length);
    });
  });
  const app = await startApp((request, response) => void server.emit('request', request, response));
  return { baseUrl: `${new URL(app.apiUrl).origin}/v1`, calls, close: () => app.close() };
}

async function sendPieces(response: ServerResponse, events: readonly string[], turn: number): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  const all = chunkings(events);
  for (const piece of all[turn % all.length]?.[1] ?? []) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

/** Cuts a text in pieces, some of them within a word. */
const cut = (text: string): string[] => text.match(/.{1,7}/gsu) ?? [];

interface Forms {
  readonly whole: object;
  readonly events: readonly string[];
}

const textOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content));

function toCompletion({ messages }: OssCall['body']): Forms {
  const said = messages as { readonly role: string; readonly content: unknown }[];
  const last = said.at(-1);
  const asked = said.findLast(({ role }) => role === 'user')?.content;
  const { thought, call, text = null } = toTurn(textOf(asked), last?.role === 'tool' ? textOf(last.content) : null);
  const about = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'gpt-oss' };
  const finish_reason = call === undefined ? 'stop' : 'tool_calls';
  const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };
  const toCall = (args: string) => ({
    id: 'call_1',
    type: 'function',
    function: { name: call?.name, arguments: args },
  });
  const message = {
    role: 'assistant',
    content: text,
    reasoning: thought,
    ...(call && { tool_calls: [toCall(call.args)] }),
  };
  const deltas = [
    { role: 'assistant', content: '' },
    ...cut(thought).map((reasoning) => ({ reasoning })),
    ...(call
      ? [
          { tool_calls: [{ index: 0, ...toCall('') }] },
          ...cut(call.args).map((args) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] })),
        ]
      : cut(text ?? '').map((content) => ({ content }))),
  ];
  const toChunk = (delta: object, finish: string | null): object => ({
    ...about,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [...deltas.map((delta) => toChunk(delta, null)), { ...toChunk({}, finish_reason), usage }];
  return {
    whole: { ...about, choices: [{ index: 0, message, finish_reason }], usage },
    events: [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'],
  };
}

function toResponse({ input }: OssCall['body']): Forms {
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Readonly<Record<string, unknown>>[]);
  const last: Readonly<Record<string, unknown>> | undefined = items.at(-1);
  const result = last?.['type'] === 'function_call_output' ? textOf(last['output']) : null;
  const {
    thought,
    call,
    text = '',
  } = toTurn(textOf(items.findLast(({ role }) => role === 'user')?.['content']), result);
  const tokens = { input_tokens: 12, output_tokens: 8, total_tokens: 20 };
  const usage = {
    ...tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 3 },
  };
  const about = { id: 'resp_up1', object: 'response', created_at: 1, model: 'gpt-oss', error: null };
  const thinking = { id: 'rs_up1', type: 'reasoning', status: 'completed', summary: [] };
  const thoughtPart = { type: 'reasoning_text', text: thought };
  const textPart = { type: 'output_text', text, annotations: [], logprobs: [] };
  const item = call
    ? {
        id: 'fc_up1',
        type: 'function_call',
        status: 'completed',
        call_id: 'call_1',
        name: call.name,
        arguments: call.args,
      }
    : { id: 'msg_up1', type: 'message', status: 'completed', role: 'assistant', content: [textPart] };
  const output = [{ ...thinking, content: [thoughtPart] }, item];
  const whole = { ...about, status: 'completed', output, usage, incomplete_details: null };
  const ofThought = { item_id: thinking.id, output_index: 0, content_index: 0 };
  const ofItem = { item_id: item.id, output_index: 1 };
  const ofText = { ...ofItem, content_index: 0 };
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const events: { readonly type: string; readonly [member: string]: unknown }[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: { ...thinking, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...ofThought, part: { ...thoughtPart, text: '' } },
    ...cut(thought).map((delta) => ({ type: 'response.reasoning_text.delta', ...ofThought, delta })),
    { type: 'response.reasoning_text.done', ...ofThought, text: thought },
    { type: 'response.content_part.done', ...ofThought, part: thoughtPart },
    { type: 'response.output_item.done', output_index: 0, item: output[0] },
    ...(call
      ? [
          {
            type: 'response.output_item.added',
            output_index: 1,
            item: { ...item, status: 'in_progress', arguments: '' },
          },
          ...cut(call.args).map((delta) => ({ type: 'response.function_call_arguments.delta', ...ofItem, delta })),
          { type: 'response.function_call_arguments.done', ...ofItem, name: call.name, arguments: call.args },
        ]
      : [
          {
            type: 'response.output_item.added',
            output_index: 1,
            item: { ...item, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...ofText, part: { ...textPart, text: '' } },
          ...cut(text).map((delta) => ({ type: 'response.output_text.delta', ...ofText, delta, logprobs: [] })),
          { type: 'response.output_text.done', ...ofText, text, logprobs: [] },
          { type: 'response.content_part.done', ...ofText, part: textPart },
        ]),
    { type: 'response.output_item.done', output_index: 1, item },
    { type: 'response.completed', response: whole },
  ];
  return {
    whole,
    events: events.map(
      ({ type, ...members }, sequence_number) =>
        `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...members })}\n\n`,
    ),
  };
}
