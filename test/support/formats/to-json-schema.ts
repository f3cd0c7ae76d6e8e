import { z } from 'zod';

/** What a schema takes, as JSON Schema; what that cannot say takes anything. */
export const toJsonSchema = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
