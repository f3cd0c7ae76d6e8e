import { createGoogleProvider } from '@model-gateway/core/providers/google';

import {
  COUNTS,
  DATA,
  type Refusal,
  SCHEMA,
  SIGNATURE,
  SPILLED,
  TEXT,
  THOUGHT,
  type UpstreamResponse,
  type WireScript,
} from './wire-script.ts';

type Part = Readonly<Record<string, unknown>>;

/** The same parts whole and as events; thoughts are counted beside the candidates on this wire. */
function toResponse(
  parts: readonly Part[],
  pieces: readonly Part[],
  finishReason = 'STOP',
  thoughts = 0,
): UpstreamResponse {
  const usageMetadata = {
    promptTokenCount: COUNTS.prompt,
    cachedContentTokenCount: COUNTS.cached,
    candidatesTokenCount: COUNTS.completion - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    totalTokenCount: COUNTS.prompt + COUNTS.completion,
  };
  const candidate = (content: readonly Part[], extra: object = {}): object => ({
    candidates: [{ content: { role: 'model', parts: content }, index: 0, ...extra }],
    modelVersion: 'gemini-x',
    responseId: 'r-1',
  });
  return {
    whole: { ...candidate(parts, { finishReason }), usageMetadata },
    events: [
      ...pieces.map((part) => ({ ...candidate([part]), usageMetadata: { promptTokenCount: COUNTS.prompt } })),
      { ...candidate([{ text: '' }], { finishReason }), usageMetadata },
    ],
  };
}

const say = (text: string, finishReason?: string): UpstreamResponse =>
  toResponse(
    [{ text }],
    (text.match(/\S+\s*/g) ?? []).map((piece) => ({ text: piece })),
    finishReason,
  );
const call = (name: string, args?: object): Part => ({ functionCall: { name, ...(args && { args }) } });
const refuse = (status: number, name: string, message: string, details: readonly object[] = []): UpstreamResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  whole: { error: { code: status, message, status: name, details } },
});

const refuseOnce = (status: number, name: string, message: string): Refusal => ({
  ...refuse(status, name, message),
  event: { error: { code: status, message, status: name } },
  said: name,
});
/** A prompt that is blocked is no error on this wire. */
const BLOCKED = {
  promptFeedback: {
    blockReason: 'SAFETY',
    safetyRatings: [
      { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'HIGH', blocked: true },
      { category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' },
    ],
  },
};

export const script: WireScript = {
  createProvider: (transport) =>
    createGoogleProvider({
      slug: 'up',
      name: 'Up',
      baseUrl: 'https://up.example/v1beta',
      apiKey: 'key-of-up',
      transport,
    }),
  model: 'gemini-2.5-flash',
  toEvent: (payload) => `data: ${JSON.stringify(payload)}\r\n\r\n`,
  end: '',
  responses: {
    text: say(TEXT),
    tools: toResponse([call('get_weather', { city: 'Paris' })], [call('get_weather', { city: 'Paris' })]),
    'tool without arguments': toResponse([call('get_time')], [call('get_time')]),
    'parallel tools': toResponse(
      [{ text: 'One moment.' }, call('get_weather', { city: 'Paris' }), call('get_weather', { city: 'Oslo' })],
      [
        { text: 'One ' },
        { text: 'moment.' },
        call('get_weather', { city: 'Paris' }),
        call('get_weather', { city: 'Oslo' }),
      ],
    ),
    'tool results': say(TEXT),
    images: say(TEXT),
    files: say(TEXT),
    'JSON schema': say('{"city":"Paris"}'),
    reasoning: toResponse(
      [
        { text: THOUGHT, thought: true },
        { text: TEXT, thoughtSignature: SIGNATURE },
      ],
      [
        { text: THOUGHT.slice(0, 7), thought: true },
        { text: THOUGHT.slice(7), thought: true },
        { text: TEXT.slice(0, 9) },
        { text: TEXT.slice(9), thoughtSignature: SIGNATURE },
      ],
      'STOP',
      COUNTS.reasoning,
    ),
    refusal: say('I cannot help with that.', 'PROHIBITED_CONTENT'),
    length: say('Hello', 'MAX_TOKENS'),
    'content filter': say('Hello', 'SAFETY'),
  },
  errors: {
    'rate limit': refuse(429, 'RESOURCE_EXHAUSTED', 'You exceeded your quota', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
    ]),
    overload: refuse(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    'context too long': refuse(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ),
  },
  refusals: {
    'bad request': refuseOnce(400, 'INVALID_ARGUMENT', `temperature is out of range; ${SPILLED}`),
    'rate limit': refuseOnce(429, 'RESOURCE_EXHAUSTED', `3 requests a minute; ${SPILLED}`),
    moderation: {
      whole: BLOCKED,
      event: BLOCKED,
      said: 'HARM_CATEGORY_HATE_SPEECH',
      reasons: ['SAFETY', 'HARM_CATEGORY_HATE_SPEECH'],
    },
    forbidden: refuseOnce(403, 'PERMISSION_DENIED', `This region is not served; ${SPILLED}`),
  },
  brokenOff: { ...say('Hello', 'MALFORMED_FUNCTION_CALL'), native: 'MALFORMED_FUNCTION_CALL' },
  contextTooLong: 'context_length_exceeded',
  errorEvent: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
  sent: {
    tools: {
      tools: [{ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    },
    'tool results': {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user' },
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'get_weather', args: { city: 'Paris' } } },
            { functionCall: { name: 'get_weather', args: { city: 'Oslo' } } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'get_weather' } }, { functionResponse: { name: 'get_weather' } }],
        },
      ],
    },
    images: {
      contents: [{ parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: DATA.pixel } }] }],
    },
    files: {
      contents: [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: DATA.pdf } }, { text: 'Sum it up.' }] }],
    },
    'JSON schema': { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA } },
    reasoning: {
      generationConfig: { maxOutputTokens: 4000, thinkingConfig: { includeThoughts: true, thinkingBudget: 3200 } },
    },
  },
  sentBack: {
    contents: [
      { role: 'user' },
      { role: 'model', parts: [{ text: TEXT, thoughtSignature: SIGNATURE }] },
      { role: 'user' },
    ],
  },
  expected: {
    // A withheld completion is one that was broken off; the text so far is its text.
    refusal: { content: 'I cannot help with that.', finish: 'content_filter' },
  },
};
