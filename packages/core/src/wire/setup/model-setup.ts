import { z } from 'zod';

import { configuredModelSchema } from '../models/model-definition.ts';

export const modelSetupSchema = z.object({
  id: z.string(),
  /** `config`: of the config file, and changed there alone. */
  source: z.enum(['config', 'stored']),
  /**
   * `ready`: served. `idle`: none of its providers is called at the moment. `shadowed`: the configuration has one of the
   * same id, which is served. `failed`: cannot be served.
   */
  status: z.enum(['ready', 'idle', 'shadowed', 'failed']),
  /** In words; null when ready. */
  problem: z.string().nullable(),
  /** As in a config file: what a built-in model of the same id has need not be repeated. Null when it cannot be read. */
  definition: configuredModelSchema.nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
});
export type ModelSetup = z.infer<typeof modelSetupSchema>;

export const modelSetupResponseSchema = z.object({ data: modelSetupSchema });

export const modelSetupListSchema = z.object({
  data: z.array(modelSetupSchema),
  /** Whether providers and models can be set up here. */
  editable: z.boolean(),
});
