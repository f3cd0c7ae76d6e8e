import { resultText, toolName } from '../calls/message-places.ts';
import { schema } from '../calls/schema-texts.ts';
import {
  bytes,
  checked,
  chosen,
  encodedText,
  fields,
  id,
  isTextType,
  media,
  type Place,
  record,
  scalar,
  sealed,
  text,
  words,
} from '../calls/text-places.ts';
import { CHAT_PLACES } from './chat-places.ts';

const read = (value: unknown, field: string): unknown => (value as Readonly<Record<string, unknown>> | null)?.[field];

const MIME_TYPES = words(
  /image\/(?:png|jpe?g|gif|webp|heic|heif|avif)|application\/(?:pdf|json)|text\/(?:plain|html|css|csv|markdown|xml)/,
  /audio\/(?:wav|x-wav|mpeg|mp3|mp4|aac|ogg|opus|flac|aiff|webm|pcm|L16)/,
  /video\/(?:mp4|mpeg|mpg|webm|quicktime|mov|avi|x-flv|3gpp|wmv)/,
);

const BLOB_FIELDS = { mimeType: MIME_TYPES, displayName: text } as const satisfies Record<string, Place>;
const bytesBlob = fields({ ...BLOB_FIELDS, data: bytes });
const textBlob = fields({ ...BLOB_FIELDS, data: encodedText });
const blob = chosen((value) => {
  const mimeType = read(value, 'mimeType');
  return typeof mimeType === 'string' && isTextType(mimeType) ? textBlob : bytesBlob;
});
const file = fields({ mimeType: MIME_TYPES, fileUri: media, displayName: text });

/** The output of a tool alone is read as one text, as in the chat request; anything else is JSON. */
const outputOnly = fields({ output: resultText });
const response = chosen((value) => {
  const isText = typeof read(value, 'output') === 'string' && Object.keys(value as object).length === 1;
  return isText ? outputOnly : record;
});

const resolution = fields({ level: words(/MEDIA_RESOLUTION_[A-Z_]{1,30}/), numTokens: scalar });

const part = fields({
  text,
  thought: checked,
  thoughtSignature: sealed,
  inlineData: blob,
  fileData: file,
  functionCall: fields({ id, name: toolName, args: record, willContinue: scalar }),
  functionResponse: fields({
    id,
    name: toolName,
    response,
    parts: fields({ inlineData: blob, fileData: file }),
    willContinue: scalar,
    scheduling: words('SILENT', 'WHEN_IDLE', 'INTERRUPT'),
  }),
  executableCode: fields({ id, language: words('PYTHON', 'LANGUAGE_UNSPECIFIED'), code: text }),
  codeExecutionResult: fields({ id, outcome: words(/OUTCOME_[A-Z_]{1,30}/), output: text }),
  videoMetadata: fields({ startOffset: words(/\d+(?:\.\d+)?s/), endOffset: words(/\d+(?:\.\d+)?s/), fps: scalar }),
  mediaResolution: resolution,
});

const content = fields({ role: checked, parts: part });

/** Tools that Google runs have settings of their own, in which every text is seen. */
const tool = fields({
  type: words(/(?:openrouter|service):(?:datetime|web_search|web_fetch|(?:experimental__)?search_models)/),
  functionDeclarations: fields({
    name: toolName,
    description: text,
    parameters: schema,
    parametersJsonSchema: schema,
    response: schema,
    responseJsonSchema: schema,
    behavior: words('UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'),
  }),
  googleSearch: record,
  googleSearchRetrieval: record,
  urlContext: record,
  codeExecution: record,
  googleMaps: record,
  computerUse: record,
  fileSearch: record,
});

const generationConfig = fields({
  temperature: checked,
  topP: checked,
  topK: checked,
  candidateCount: checked,
  maxOutputTokens: checked,
  stopSequences: text,
  seed: checked,
  presencePenalty: checked,
  frequencyPenalty: checked,
  responseLogprobs: checked,
  logprobs: checked,
  responseMimeType: words('text/plain', 'application/json', 'text/x.enum', 'application/xml', 'application/yaml'),
  responseSchema: schema,
  responseJsonSchema: schema,
  responseModalities: words(/TEXT|IMAGE|AUDIO|MODALITY_UNSPECIFIED/),
  imageConfig: fields({ aspectRatio: words(/\d{1,2}:\d{1,2}/), imageSize: words(/\d{1,4}[Kp]?/) }),
  speechConfig: record,
  thinkingConfig: fields({ includeThoughts: checked, thinkingBudget: checked, thinkingLevel: checked }),
  mediaResolution: words(/MEDIA_RESOLUTION_[A-Z_]{1,30}/),
  audioTimestamp: scalar,
  enableEnhancedCivicAnswers: scalar,
});

/** What stands in the body of Gemini's form. */
export const geminiBody: Place = fields({
  model: checked,
  stream: checked,
  contents: content,
  systemInstruction: content,
  tools: tool,
  toolConfig: fields({
    functionCallingConfig: fields({
      mode: checked,
      allowedFunctionNames: toolName,
      streamFunctionCallArguments: scalar,
    }),
    retrievalConfig: record,
    includeServerSideToolInvocations: scalar,
  }),
  safetySettings: fields({
    category: words(/HARM_CATEGORY_[A-Z_]{1,60}/),
    threshold: words(/BLOCK_[A-Z_]{1,40}/, 'OFF', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED'),
    method: words('SEVERITY', 'PROBABILITY'),
  }),
  generationConfig,
  cachedContent: checked,
  serviceTier: words('standard', 'flex', 'priority', 'unspecified'),
  labels: record,
  store: scalar,
  // Fields of the gateway, which no upstream gets in this form.
  models: checked,
  provider: checked,
  plugins: CHAT_PLACES.plugins,
  route: checked,
  preset: checked,
  transforms: checked,
  debug: checked,
  trace: record,
  user: text,
  session_id: text,
  metadata: record,
  stop_server_tools_when: checked,
});
