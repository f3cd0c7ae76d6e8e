import { z } from 'zod';

import { configSchema } from './config-schema.ts';

/** The JSON Schema of the config file, as `docs/config.schema.json` publishes it for editors. */
export function createConfigJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: 'input' }),
    title: 'Model Gateway configuration',
  };
}
