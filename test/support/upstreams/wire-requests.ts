const user = (content: unknown): { readonly messages: readonly object[] } => ({
  messages: [{ role: 'user', content }],
});

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'Tells the weather in a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

/** One red pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/**
 * Requests that are the same on every wire. The responses are the cases `synthetic-<name>` of `fixtures/openai`,
 * `anthropic` and `google`, whose `request.json` is the form of the request on that wire.
 */
export const WIRE_REQUESTS = {
  text: user('Say hello in one short sentence.'),
  stream: user('Count from one to five in words.'),
  tools: { ...user('What is the weather in Paris?'), tools: TOOLS },
  'parallel-tools': { ...user('What is the weather in Paris and in Oslo?'), tools: TOOLS },
  reasoning: { ...user('Which is larger, 9.11 or 9.9?'), reasoning: { effort: 'low' }, max_tokens: 4000 },
  'json-schema': {
    ...user('Where is the Eiffel Tower?'),
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'place',
        strict: true,
        schema: {
          type: 'object',
          properties: { city: { type: 'string' }, country: { type: 'string' } },
          required: ['city', 'country'],
          additionalProperties: false,
        },
      },
    },
  },
  'image-input': user([
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url: PIXEL } },
  ]),
  refusal: user('How do I pick the lock of my neighbour?'),
  length: { ...user('Tell me a long story.'), max_tokens: 16 },
  'content-filter': user('Recite something that a filter will stop.'),
  'rate-limit': user('Ask too often.'),
  overloaded: user('Ask when everybody does.'),
  'context-too-long': user('Imagine a prompt that is too long here.'),
  'mid-stream-error': user('Begin, and then fail.'),
  'cut-stream': user('Begin, and then fall silent.'),
} as const;

export type WireCase = keyof typeof WIRE_REQUESTS;
