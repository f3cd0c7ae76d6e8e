import fc from 'fast-check';

/** A chat request in the gateway's own form, with the fields that every format but the oldest can say. */
export interface MadeChat {
  readonly messages: readonly MadeMessage[];
  readonly tools?: readonly MadeTool[];
  readonly tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'function'; readonly function: { name: string } };
  readonly parallel_tool_calls?: false;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly reasoning?: { readonly effort?: string; readonly max_tokens?: number };
  readonly response_format?: MadeFormat;
  readonly stream?: boolean;
  readonly session_id?: string;
  readonly models?: readonly string[];
}

export type MadePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } };

export interface MadeToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type MadeMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly MadePart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[];
      readonly tool_calls?: readonly MadeToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface MadeTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: object;
    readonly strict?: boolean;
  };
}

export interface MadeFormat {
  readonly type: 'json_schema';
  readonly json_schema: { readonly name: string; readonly schema: object; readonly strict: boolean };
}

/** A word that a guardrail may look for. */
export const SECRET = 'purple dragon';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }),
  fc.constantFrom('a\nb', '{"type":"text"}', '漢字 👩‍👩‍👧', '\u2028', ' '),
  fc.constantFrom(SECRET, `the ${SECRET} "42"\n`),
);
const image = fc
  .constantFrom('data:image/png;base64,iVBORw0KGgo=', 'https://example.com/a.png?b=c')
  .map((url): MadePart => ({ type: 'image_url', image_url: { url } }));
const file = fc
  .constantFrom('data:application/pdf;base64,JVBERi0xLjQ=', 'https://example.com/a.pdf')
  .map((file_data): MadePart => ({ type: 'file', file: { filename: 'a.pdf', file_data } }));
const part = fc.oneof(
  text.map((said): MadePart => ({ type: 'text', text: said })),
  image,
  file,
);

const schema = fc
  .constantFrom({ a: { type: 'string' } }, {}, { b: { type: 'array', items: {} } })
  .map((properties) => ({ type: 'object', properties, additionalProperties: false }));

const user = fc
  .oneof(text, fc.array(part, { minLength: 1, maxLength: 3 }))
  .map((content): MadeMessage => ({ role: 'user', content }));

const detail = fc.oneof(
  fc.record({ text, signature: fc.constantFrom('c2ln+/=', 'EqQB') }).map(({ text: said, signature }) => ({
    type: 'reasoning.text',
    text: said,
    signature,
    format: 'anthropic-claude-v1',
  })),
);

interface MadeTurn {
  readonly said: string | null;
  readonly details: readonly Readonly<Record<string, unknown>>[];
  readonly calls: readonly { readonly args: object; readonly result: string }[];
}

const turn: fc.Arbitrary<MadeTurn> = fc.record({
  said: fc.option(text),
  details: fc.array(detail, { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      args: fc.dictionary(
        fc.string({ maxLength: 3 }).filter((key) => key !== '__proto__'),
        fc.jsonValue({ maxDepth: 1 }),
        {
          maxKeys: 2,
        },
      ),
      result: text,
    }),
    { maxLength: 3 },
  ),
});

/** An assistant's message, and the results of its calls. */
function toTurn({ said, details, calls }: MadeTurn, at: number): MadeMessage[] {
  const made = calls.map(({ args }, index): MadeToolCall => ({
    id: `call_${at}_${index}`,
    type: 'function',
    function: { name: `tool_${index}`, arguments: JSON.stringify(args) },
  }));
  const results = calls.map(({ result }, index): MadeMessage => ({
    role: 'tool',
    tool_call_id: `call_${at}_${index}`,
    content: result,
  }));
  const message: MadeMessage = {
    role: 'assistant',
    content: made.length === 0 && details.length === 0 ? (said ?? 'Yes.') : said,
    ...(details.length > 0 && { reasoning_details: details }),
    ...(made.length > 0 && { tool_calls: made }),
  };
  return [message, ...results];
}

const conversation = fc
  .record({
    system: fc.option(text),
    first: user,
    rounds: fc.array(fc.record({ turn, next: fc.option(user) }), { maxLength: 3 }),
  })
  .map(({ system, first, rounds }): readonly MadeMessage[] => [
    ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
    first,
    ...rounds.flatMap(({ turn: made, next }, at) => {
      const said = toTurn(made, at);
      // Two messages of the assistant in a row are one turn in some forms.
      const isOpen = said.length === 1 && next === null;
      return [...said, ...(isOpen ? [{ role: 'user' as const, content: 'And?' }] : next === null ? [] : [next])];
    }),
  ]);

const tools = fc
  .array(fc.record({ description: fc.option(text, { nil: undefined }), parameters: schema, strict: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((list): readonly MadeTool[] =>
    list.map(({ description, parameters, strict }, index) => ({
      type: 'function',
      function: { name: `tool_${index}`, ...(description !== undefined && { description }), parameters, strict },
    })),
  );

const toolFields = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      tools,
      tool_choice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const, {
        type: 'function' as const,
        function: { name: 'tool_0' },
      }),
    },
    { requiredKeys: ['tools'] },
  ),
  fc.record({ tools, tool_choice: fc.constant('auto' as const), parallel_tool_calls: fc.constant(false as const) }),
);

/** Any chat that all forms but the oldest can say. */
export const chatArbitrary: fc.Arbitrary<MadeChat> = fc
  .tuple(
    conversation,
    toolFields,
    fc.record(
      {
        max_tokens: fc.integer({ min: 1, max: 9000 }),
        temperature: fc.constantFrom(0, 0.5, 1),
        top_p: fc.constantFrom(0, 0.25, 1),
        reasoning: fc.oneof(
          fc.constantFrom('low', 'medium', 'high', 'xhigh', 'max').map((effort) => ({ effort })),
          fc.integer({ min: 1024, max: 9000 }).map((max_tokens) => ({ max_tokens })),
        ),
        response_format: schema.map((made) => ({
          type: 'json_schema' as const,
          json_schema: { name: 'output', schema: made, strict: true },
        })),
        stream: fc.boolean(),
        session_id: fc.constantFrom('s-1', 'a b'),
        models: fc.constant(['test/model', 'test/other']),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([messages, chosen, fields]): MadeChat => ({ messages, ...chosen, ...fields }));
