import * as z from '@model-gateway/core/foundation/zod';

import { accountSchema } from './account-config.ts';
import { authSchema, configSchema, sharedSchema, storeSchema } from './config-schema.ts';
import { moduleEntrySchema } from './module-config.ts';
import { oidcSchema, roleSchema, tokenIssuerSchema } from './sign-in-config.ts';

const feePercent = z
  .number()
  .min(0)
  .max(100)
  .optional()
  .describe('Another name of account.byok.feeShare, in percent: 5 for 0.05');

const oidc = oidcSchema.extend({
  roles: z.record(z.string(), roleSchema).optional().describe('Another name of signIn.groups: the role of each group'),
});

const writtenAuth = authSchema.extend({
  jwt: z
    .union([z.array(tokenIssuerSchema), tokenIssuerSchema])
    .default([])
    .describe('Issuers whose JWTs are taken in the place of API keys; a single one needs no list'),
  oidc: oidc.nullish().describe('Another name of signIn.oidc'),
  proxyHeader: z
    .string()
    .nullish()
    .describe('Another name of signIn.proxy.header; server.trustedProxies are the addresses of the proxy'),
});

const { byok } = accountSchema.shape;
const [json, postgres, memory, module] = storeSchema.options;
const [alone, redis] = sharedSchema.options;
const untyped = <Type extends string>(type: Type) => z.literal(type).optional();

const filters = z.array(
  moduleEntrySchema.extend({ slug: moduleEntrySchema.shape.slug.optional().describe('Default: the name of the file') }),
);

/** What a config file may say: `configSchema` with the other names that readOtherNames moves to where it has them. */
const writtenSchema = configSchema.extend({
  auth: writtenAuth.prefault({}),
  account: accountSchema.extend({ byok: byok.unwrap().extend({ feePercent }).optional() }).prefault({}),
  byok: z.strictObject({ feePercent }).optional().describe('Another place of account.byok'),
  filters: filters.optional().describe('Another place of guardrails.filters'),
  store: z
    .union([json, postgres.extend({ type: untyped('postgres') }), memory, module.extend({ type: untyped('module') })])
    .prefault({}),
  shared: z.union([alone, redis.extend({ type: untyped('redis') })]).prefault({}),
});

/** The JSON Schema of the config file, as `docs/config.schema.json` publishes it for editors. */
export function createConfigJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(writtenSchema, { io: 'input' }),
    title: 'Model Gateway configuration',
  };
}
