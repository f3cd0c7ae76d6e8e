import { cut, type Told, toEvent, type Turn, type TurnCall } from './turn.ts';

/** An output item, as it begins and as it is, with the events between. */
interface Item {
  readonly start: object;
  readonly item: object;
  readonly events: readonly { readonly type: string; readonly [member: string]: unknown }[];
}

/** A turn on the wire of OpenAI's responses. */
export function tellResponsesTurn({ thought, text, calls = [] }: Turn): Told {
  const items = [
    ...(thought === undefined ? [] : [toReasoning(thought)]),
    ...(text === undefined ? [] : [toMessage(text)]),
    ...calls.map(toCall),
  ];
  const about = { id: 'resp_up', object: 'response', created_at: 1, model: 'coder', error: null };
  const begun = { ...about, status: 'in_progress', output: [], usage: null };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  const whole = { ...about, status: 'completed', output: items.map(({ item }) => item), usage };
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(({ start, item, events: own }, output_index) => [
      { type: 'response.output_item.added', output_index, item: start },
      ...own.map((event) => ({ ...event, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: whole },
  ];
  return { whole, events: events.map((event, number) => toEvent({ ...event, sequence_number: number })) };
}

function toReasoning(thought: string): Item {
  const about = { id: 'rs_up', type: 'reasoning' };
  const at = { item_id: 'rs_up', summary_index: 0 };
  const summary = { type: 'summary_text', text: thought };
  return {
    start: { ...about, summary: [] },
    item: { ...about, summary: [summary], encrypted_content: 'c2VhbGVk' },
    events: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { ...summary, text: '' } },
      ...cut(thought).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: thought },
      { type: 'response.reasoning_summary_part.done', ...at, part: summary },
    ],
  };
}

function toMessage(text: string): Item {
  const about = { id: 'msg_up', type: 'message', role: 'assistant' };
  const at = { item_id: 'msg_up', content_index: 0 };
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  return {
    start: { ...about, status: 'in_progress', content: [] },
    item: { ...about, status: 'completed', content: [part] },
    events: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...cut(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  };
}

function toCall({ id, name, args, custom }: TurnCall): Item {
  const [kind, event, member, said] =
    custom === undefined
      ? (['function_call', 'response.function_call_arguments', 'arguments', JSON.stringify(args)] as const)
      : (['custom_tool_call', 'response.custom_tool_call_input', 'input', custom] as const);
  const about = { id: `item_${id}`, type: kind, call_id: id, name };
  return {
    start: { ...about, status: 'in_progress', [member]: '' },
    item: { ...about, status: 'completed', [member]: said },
    events: [
      ...cut(said).map((delta) => ({ type: `${event}.delta`, item_id: about.id, delta })),
      { type: `${event}.done`, item_id: about.id, [member]: said },
    ],
  };
}
