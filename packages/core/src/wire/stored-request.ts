import { z } from 'zod';

/** A request to upstream, as it was sent. */
const sentRequestSchema = z.object({
  /** The endpoint that was asked, as `provider_responses` of the generation names it. */
  endpoint: z.string(),
  /** The form of the upstream's API: `openai`, `anthropic`, `google`, `openai-responses`. */
  wire: z.string(),
  /** `JSON.stringify` makes of it the very bytes that were sent. */
  body: z.unknown(),
});

/** A call's request as it is stored with the content of its generation. */
export const storedRequestSchema = z.object({
  /** The API form of `body`: `chat`, `messages`, `responses`, `completions`, or the kind of another call. */
  format: z.string(),
  /** As it came in. Where a guardrail has changed texts of it, or a hook of the host any of it, as they have left it. */
  body: z.unknown(),
  /** The same with what its preset and its stored prompt say in it; absent where it names neither. */
  expanded: z.unknown().optional(),
  /** The headers that a call is served by, in lower case; never credentials. */
  headers: z.record(z.string(), z.string()),
  /** In the order in which they were sent; a call with server tools sends several. */
  attempts: z.array(sentRequestSchema),
});

const storedRequestReportSchema = storedRequestSchema.extend({
  /** The rule of the account that chose the model; null for none. */
  routing_rule: z.string().nullable(),
  /** The preset that the call used; null for none. */
  preset_id: z.string().nullable(),
  /** The guardrails that kept the call from some of its endpoints; null for none. */
  narrowed_by: z.array(z.string()).nullable(),
});

/** The query of `GET /admin/v1/generations/{id}/request`. */
export const storedRequestQuerySchema = z.strictObject({
  /** `true`: where nothing is stored, the response has null for it, and is no 404. */
  optional: z.enum(['true', 'false']).default('false'),
});

/** The response of `GET /admin/v1/generations/{id}/request`. */
export const storedRequestResponseSchema = z.object({ data: storedRequestReportSchema.nullable() });

/** The body of `POST /admin/v1/generations/{id}/resend`. Closed. What is absent is as it was. */
export const resendRequestSchema = z.strictObject({
  /** Hash of the API key that the new call counts for. Default: that of the call. */
  key_hash: z.string().min(1).max(200).optional(),
  model: z.string().min(1).max(300).optional(),
  stream: z.boolean().optional(),
});

export type SentRequest = z.infer<typeof sentRequestSchema>;
export type StoredRequest = z.infer<typeof storedRequestSchema>;
export type StoredRequestReport = z.infer<typeof storedRequestReportSchema>;

/** Receives a request to upstream: `JSON.stringify(body)` is what is sent. */
export type OnSent = (wire: string, body: unknown) => void;
