import { z } from 'zod';

/** The response object as clients of the Open Responses specification read it: every field has to be there. */
export const openResponseSchema = z.looseObject({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string(), id: z.string().min(1) })),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  instructions: z.string().nullable(),
  previous_response_id: z.string().nullable(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string(), strict: z.boolean().nullable() })),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
  parallel_tool_calls: z.boolean(),
  truncation: z.enum(['auto', 'disabled']),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int().nullable(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: z
    .looseObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      total_tokens: z.int(),
      input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
      output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
    })
    .nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});
export type OpenResponse = z.infer<typeof openResponseSchema>;

const place = { item_id: z.string().min(1), output_index: z.int() };
const inItem = { ...place, content_index: z.int() };
const ofItem = { output_index: z.int(), item: z.looseObject({ type: z.string(), id: z.string().min(1) }) };
const part = z.looseObject({ type: z.string() });

/** The members that each event has beside its type and its number. An event that is not here breaks the specification. */
const EVENTS: Readonly<Record<string, z.ZodRawShape>> = {
  'response.created': { response: openResponseSchema },
  'response.in_progress': { response: openResponseSchema },
  'response.completed': { response: openResponseSchema },
  'response.incomplete': { response: openResponseSchema },
  'response.failed': { response: openResponseSchema },
  'response.output_item.added': ofItem,
  'response.output_item.done': ofItem,
  'response.content_part.added': { ...inItem, part },
  'response.content_part.done': { ...inItem, part },
  'response.output_text.delta': { ...inItem, delta: z.string(), logprobs: z.array(z.unknown()) },
  'response.output_text.done': { ...inItem, text: z.string(), logprobs: z.array(z.unknown()) },
  'response.function_call_arguments.delta': { ...place, delta: z.string() },
  'response.function_call_arguments.done': { ...place, arguments: z.string() },
  'response.reasoning_text.delta': { ...inItem, delta: z.string() },
  'response.reasoning_text.done': { ...inItem, text: z.string() },
  'response.reasoning_summary_part.added': { ...place, summary_index: z.int(), part },
  'response.reasoning_summary_part.done': { ...place, summary_index: z.int(), part },
  'response.reasoning_summary_text.delta': { ...place, summary_index: z.int(), delta: z.string() },
  'response.reasoning_summary_text.done': { ...place, summary_index: z.int(), text: z.string() },
};

export interface OpenEvent {
  readonly type: string;
  readonly response?: OpenResponse;
  readonly [member: string]: unknown;
}

/** Reads a stream as the specification wants it: known events, numbered from 0, `[DONE]` at the end. Throws for another. */
export function readOpenStream(text: string): readonly OpenEvent[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  if (frames.pop() !== 'data: [DONE]') throw new Error('The stream does not end with [DONE]');
  return frames.map((frame, number) => {
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    const shape = EVENTS[name ?? ''];
    if (shape === undefined) throw new Error(`The event ${name} is not in the specification`);
    const schema = z.looseObject({ type: z.literal(name), sequence_number: z.literal(number), ...shape });
    return schema.parse(JSON.parse(data)) as OpenEvent;
  });
}
