import { z } from 'zod';

import { routingMembersSchema } from './routing.ts';

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown());

const blobSchema = z.looseObject({ mimeType: z.string().nullish(), data: z.string() });
const fileSchema = z.looseObject({ mimeType: z.string().nullish(), fileUri: z.string() });

const functionCallSchema = z.looseObject({ id: text, name: z.string().min(1), args: object.nullish() });

const functionResponseSchema = z.looseObject({
  id: text,
  name: z.string().min(1),
  response: object.nullish(),
  /** Media beside the response. */
  parts: z.array(z.looseObject({ inlineData: blobSchema.nullish(), fileData: fileSchema.nullish() })).nullish(),
});

/** A part has one of these members. Those that only Google's models know have none here. */
const partSchema = z.looseObject({
  text,
  /** The text is a thought. */
  thought: z.boolean().nullish(),
  thoughtSignature: text,
  inlineData: blobSchema.nullish(),
  fileData: fileSchema.nullish(),
  functionCall: functionCallSchema.nullish(),
  functionResponse: functionResponseSchema.nullish(),
});
export type GeminiPart = z.infer<typeof partSchema>;

const contentSchema = z.looseObject({
  /** `function` is the older name of the role `user` for results. Absent: the user. */
  role: z.enum(['user', 'model', 'function', 'system', '']).nullish(),
  parts: z.array(partSchema).nullish(),
});
export type GeminiContent = z.infer<typeof contentSchema>;

const functionDeclarationSchema = z.looseObject({
  name: z.string().regex(/^[\w.:-]{1,128}$/, 'must be 1 to 128 letters, digits, underscores, dots, colons or dashes'),
  description: text,
  /** A schema of OpenAPI 3.0, as far as Google has it. */
  parameters: object.nullish(),
  /** JSON Schema. */
  parametersJsonSchema: object.nullish(),
});

/** Tools of Google's own (`googleSearch`, `codeExecution` …) have a member each; those of the gateway have a `type`. */
const toolSchema = z.looseObject({
  functionDeclarations: z.array(functionDeclarationSchema).nullish(),
  type: text,
});
export type GeminiTool = z.infer<typeof toolSchema>;

const penalty = z.number().min(-2).max(2).nullish();

const generationConfigSchema = z.looseObject({
  temperature: z.number().min(0).max(2).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  topK: z.int().min(0).nullish(),
  candidateCount: z
    .literal(1, { error: 'must be 1: a call has one candidate; send a request for each that you need' })
    .nullish(),
  maxOutputTokens: z.int().min(1).nullish(),
  stopSequences: z.array(z.string()).max(5, 'must have at most 5 items').nullish(),
  seed: z.int().nullish(),
  presencePenalty: penalty,
  frequencyPenalty: penalty,
  responseLogprobs: z.boolean().nullish(),
  /** How many alternatives there are to each token. */
  logprobs: z.int().min(0).max(20).nullish(),
  responseMimeType: text,
  /** A schema of OpenAPI 3.0, as far as Google has it. */
  responseSchema: object.nullish(),
  responseJsonSchema: object.nullish(),
  responseModalities: z.array(z.string()).nullish(),
  imageConfig: z.looseObject({ aspectRatio: text, imageSize: text }).nullish(),
  speechConfig: z
    .looseObject({
      voiceConfig: z.looseObject({ prebuiltVoiceConfig: z.looseObject({ voiceName: text }).nullish() }).nullish(),
    })
    .nullish(),
  thinkingConfig: z
    .looseObject({
      includeThoughts: z.boolean().nullish(),
      /** Tokens; 0 for none, -1 for as many as the model likes. */
      thinkingBudget: z.int().min(-1).nullish(),
      thinkingLevel: z
        .enum(['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'])
        .or(z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']))
        .nullish(),
    })
    .nullish(),
});
export type GeminiGenerationConfig = z.infer<typeof generationConfigSchema>;

const callingConfigSchema = z.looseObject({
  mode: z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']).nullish(),
  allowedFunctionNames: z.array(z.string()).nullish(),
});

/** What a prompt consists of. */
const promptFields = {
  contents: z.array(contentSchema).min(1, 'must have at least 1 content'),
  systemInstruction: contentSchema.nullish(),
  tools: z.array(toolSchema).nullish(),
  toolConfig: z.looseObject({ functionCallingConfig: callingConfigSchema.nullish() }).nullish(),
  generationConfig: generationConfigSchema.nullish(),
};

/**
 * The body of `POST /v1beta/models/{model}:generateContent` as far as it is translated, with the model and the stream of
 * its address. Fields of the gateway (`provider`, `models`, `plugins`) have their names and forms in chat completions.
 */
export const geminiRequestSchema = z.looseObject({
  model: z.string().min(1, 'must not be empty'),
  stream: z.boolean(),
  ...promptFields,
  cachedContent: z.literal('', { error: 'is not supported: caches cannot be made through the gateway' }).nullish(),
  serviceTier: text,
});
export type GeminiRequest = z.infer<typeof geminiRequestSchema>;

/** The body as clients send it. */
export const geminiBodySchema = geminiRequestSchema.omit({ model: true, stream: true });

const modalityCounts = z.array(z.object({ modality: z.string(), tokenCount: z.int() })).optional();

export const geminiUsageSchema = z.looseObject({
  promptTokenCount: z.int(),
  candidatesTokenCount: z.int().optional(),
  thoughtsTokenCount: z.int().optional(),
  cachedContentTokenCount: z.int().optional(),
  totalTokenCount: z.int().optional(),
  promptTokensDetails: modalityCounts,
  /** USD; null when the price is unknown. */
  cost: z.number().nullable().optional(),
});

/** The response of `:generateContent`, and each event of a stream. */
export const geminiResponseSchema = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z
          .looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() })
          .optional(),
        finishReason: z.string().optional(),
        index: z.int().optional(),
        groundingMetadata: z.looseObject({}).optional(),
        logprobsResult: z.looseObject({}).optional(),
      }),
    )
    .optional(),
  usageMetadata: geminiUsageSchema.optional(),
  modelVersion: z.string(),
  responseId: z.string(),
  ...routingMembersSchema.shape,
});

export const geminiErrorSchema = z.looseObject({
  error: z.looseObject({ code: z.int(), message: z.string(), status: z.string() }),
});

/** One server-sent event of a stream. */
export const geminiEventSchema = z.object({ data: z.union([geminiResponseSchema, geminiErrorSchema]) });
/** A stream without `alt=sse` is one list. */
export const geminiListSchema = z.array(z.union([geminiResponseSchema, geminiErrorSchema]));

/** The body of `:countTokens`: a prompt, or a whole request. */
export const geminiCountRequestSchema = z.looseObject({
  ...promptFields,
  contents: promptFields.contents.nullish(),
  generateContentRequest: z.looseObject(promptFields).nullish(),
});

export const geminiCountSchema = z.looseObject({
  totalTokens: z.int(),
  /** True where upstream was not asked, or did not count. */
  estimated: z.boolean().optional(),
});

const embedFields = {
  content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string().min(1) })).min(1) }),
  taskType: text,
  title: text,
  outputDimensionality: z.int().min(1).nullish(),
};

/** The body of `:embedContent`. */
export const geminiEmbedRequestSchema = z.looseObject(embedFields);
export type GeminiEmbedRequest = z.infer<typeof geminiEmbedRequestSchema>;

/** The body of `:batchEmbedContents`: each request names a model of its own, which must be that of the address. */
export const geminiBatchRequestSchema = z.looseObject({
  requests: z.array(z.looseObject({ ...embedFields, model: text })).min(1, 'must have at least 1 request'),
});

const vectorSchema = z.object({ values: z.array(z.number()) });
const embedUsage = z.looseObject({ promptTokenCount: z.int(), cost: z.number().nullable().optional() });

export const geminiEmbedResponseSchema = z.object({ embedding: vectorSchema, usageMetadata: embedUsage });
export const geminiBatchResponseSchema = z.object({ embeddings: z.array(vectorSchema), usageMetadata: embedUsage });

export const geminiModelSchema = z.looseObject({
  /** `models/acme/chat` */
  name: z.string(),
  baseModelId: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int().optional(),
  outputTokenLimit: z.int().optional(),
  supportedGenerationMethods: z.array(z.string()),
  thinking: z.boolean(),
});

export const geminiModelListSchema = z.object({
  models: z.array(geminiModelSchema),
  nextPageToken: z.string().optional(),
});
