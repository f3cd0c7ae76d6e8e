import { BYTES, base64, RECORD, SCHEMA, SMALL } from './full-request-parts.ts';

const PICTURE = { inlineData: { mimeType: 'image/png', data: BYTES } };
const NOTES = { inlineData: { mimeType: 'text/plain', data: base64('Some notes about the weather.') } };

/** In the form that Google has for schemas. */
const OWN_SCHEMA = {
  type: 'OBJECT',
  title: 'Order',
  description: 'What is ordered',
  properties: {
    id: { type: 'STRING', format: 'uuid', description: 'Number of the order', nullable: true },
    role: { type: 'STRING', enum: ['buyer', 'seller'], default: 'buyer', example: 'seller' },
    parts: { type: 'ARRAY', items: { type: 'STRING', pattern: '^a' }, minItems: '1' },
    kind: { anyOf: [{ type: 'STRING', title: 'Kind' }, { type: 'INTEGER' }] },
  },
  required: ['id'],
  propertyOrdering: ['id', 'role'],
};

const declared = (name: string, schema: object) => ({ name, description: `Does ${name}`, ...schema });

/** Bodies in Gemini's form. */
export const GEMINI: readonly Readonly<Record<string, unknown>>[] = [
  {
    systemInstruction: { role: 'system', parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'Where is ' }, { text: 'my order?' }, PICTURE, NOTES] },
      { role: 'model', parts: [{ text: 'I look.', thought: true, thoughtSignature: 'c2ln' }] },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'call_1', name: 'find_order', args: RECORD }, thoughtSignature: 'c2ln' }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'call_1', name: 'find_order', response: RECORD } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://files.example/order.pdf' } },
        ],
      },
      { role: 'model', parts: [{ text: 'It is here.' }, { text: '', thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ text: 'Thanks' }] },
    ],
    tools: [
      {
        functionDeclarations: [
          declared('find_order', { parameters: OWN_SCHEMA }),
          declared('buy', { parametersJsonSchema: SCHEMA, response: OWN_SCHEMA }),
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find_order'] } },
    generationConfig: {
      temperature: 0.5,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseSchema: OWN_SCHEMA,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
    },
    user: 'ann',
    session_id: 's',
    metadata: { team: 'shop' },
    trace: { trace_id: 't', generation_name: 'g', environment: 'test' },
  },
  {
    contents: [
      { parts: [{ text: 'Count' }] },
      {
        role: 'model',
        parts: [
          { executableCode: { id: 'c1', language: 'PYTHON', code: 'print(40 + 2)' } },
          { codeExecutionResult: { id: 'c1', outcome: 'OUTCOME_OK', output: '42' } },
          { functionCall: { name: 'buy', args: { at: 'x' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'buy', response: { output: 'Bought.' }, parts: [PICTURE] } },
          {
            fileData: { mimeType: 'video/mp4', fileUri: 'https://files.example/film.mp4', displayName: 'Film' },
            videoMetadata: { startOffset: '1s', endOffset: '2.5s', fps: 1 },
          },
          { text: 'And now?', newerField: { id: 'x', type: 'y' } },
        ],
      },
    ],
    tools: [
      { functionDeclarations: [declared('buy', { parametersJsonSchema: SMALL })] },
      { googleSearch: { timeRangeFilter: { startTime: '2026-01-01T00:00:00Z' }, excludeDomains: ['a.example'] } },
      { urlContext: {} },
      { codeExecution: {} },
      { fileSearch: { fileSearchStoreNames: ['stores/one'], metadataFilter: 'author=ann' } },
    ],
    toolConfig: {
      functionCallingConfig: { mode: 'AUTO' },
      retrievalConfig: { languageCode: 'en', latLng: { latitude: 1, longitude: 2 } },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    generationConfig: {
      responseMimeType: 'application/json',
      responseJsonSchema: SCHEMA,
      responseModalities: ['TEXT'],
      imageConfig: { aspectRatio: '16:9', imageSize: '1K' },
      speechConfig: { languageCode: 'en-US', voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
    },
    serviceTier: 'flex',
    labels: { team: 'shop' },
    newerField: { id: 'x', type: 'y' },
  },
];
