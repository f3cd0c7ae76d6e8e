import { tellResponsesTurn } from './tell-responses-turn.ts';
import { cut, type Told, toData, toEvent, type Turn } from './turn.ts';

export const WIRES = ['openai', 'anthropic', 'google', 'openai-responses'] as const;
export type Wire = (typeof WIRES)[number];

/** A turn in the form of each wire. */
export const tellTurn: Readonly<Record<Wire, (turn: Turn) => Told>> = {
  openai,
  anthropic,
  google,
  'openai-responses': tellResponsesTurn,
};

function openai({ thought, text, calls: called = [] }: Turn): Told {
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const finish = called.length === 0 ? 'stop' : 'tool_calls';
  const calls =
    called.length === 0
      ? undefined
      : called.map(({ id, name, args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }));
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    toData({ id: 'up-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const message = { role: 'assistant', content: text ?? null, reasoning_content: thought, tool_calls: calls };
  return {
    whole: { id: 'up-1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage },
    events: [
      ...cut(thought ?? '').map((piece) => chunk({ reasoning_content: piece })),
      ...cut(text ?? '').map((content) => chunk({ content })),
      ...called.flatMap(({ id, name, args }, index) => [
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...cut(JSON.stringify(args)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, finish),
      toData({ id: 'up-1', choices: [], usage }),
      'data: [DONE]\n\n',
    ],
  };
}

function anthropic({ thought, text, calls = [] }: Turn): Told {
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
  const stop = { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use', stop_sequence: null };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up' };
  const blocks = [
    ...(thought === undefined
      ? []
      : [
          {
            block: { type: 'thinking', thinking: thought, signature: 'c2lnbmVk' },
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...cut(thought).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
              { type: 'signature_delta', signature: 'c2lnbmVk' },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            block: { type: 'text', text },
            start: { type: 'text', text: '' },
            deltas: cut(text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      block: { type: 'tool_use', id, name, input: args },
      start: { type: 'tool_use', id, name, input: {} },
      deltas: cut(JSON.stringify(args)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    })),
  ];
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return {
    whole: { ...message, content: blocks.map(({ block }) => block), ...stop, usage },
    events: [
      toEvent({ type: 'message_start', message: start }),
      toEvent({ type: 'ping' }),
      ...blocks.flatMap(({ start: content_block, deltas }, index) =>
        [
          { type: 'content_block_start', index, content_block },
          ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
          { type: 'content_block_stop', index },
        ].map(toEvent),
      ),
      toEvent({ type: 'message_delta', delta: stop, usage: { output_tokens: 20 } }),
      toEvent({ type: 'message_stop' }),
    ],
  };
}

function google({ thought, text, calls: called = [] }: Turn): Told {
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  const calls = called.map(({ name, args }) => ({ functionCall: { name, args } }));
  const candidate = (parts: readonly object[], finishReason?: string): object => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    ...(finishReason && { usageMetadata }),
    responseId: 'r-1',
  });
  const said = [
    ...cut(thought ?? '').map((piece) => ({ text: piece, thought: true })),
    ...cut(text ?? '').map((piece) => ({ text: piece })),
    ...calls,
  ];
  return {
    whole: candidate(
      [
        ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
        ...(text === undefined ? [] : [{ text }]),
        ...calls,
      ],
      'STOP',
    ),
    events: [...said.map((part) => toData(candidate([part]))), toData(candidate([{ text: '' }], 'STOP'))],
  };
}
