import { z } from 'zod';

/** What a parameter of `POST /images` may be at a model: one of some values, a number within a range, or anything. */
const parameterSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('enum'), values: z.array(z.string()).min(1) }),
  z.strictObject({ type: z.literal('range'), min: z.number(), max: z.number() }),
  z.strictObject({ type: z.literal('boolean') }),
]);

export const imageParametersSchema = z.record(z.string(), parameterSchema);
export type ImageParameters = z.infer<typeof imageParametersSchema>;

/** The capabilities of a model that makes images. Absent ones are unknown, and not checked. */
export const imageCapabilitiesSchema = z
  .strictObject({
    /** By the names of the request's fields. */
    supported_parameters: imageParametersSchema,
    /** The provider's own parameters that callers may set. */
    allowed_passthrough_parameters: z.array(z.string()),
    /** Whether images arrive in parts when they are streamed. */
    supports_streaming: z.boolean(),
  })
  .partial();
export type ImageCapabilities = z.infer<typeof imageCapabilitiesSchema>;
