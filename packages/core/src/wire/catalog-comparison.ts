import { z } from 'zod';

import { pricingOverrideSchema, pricingSchema } from './model-facts.ts';

/** More than any comparison finds: providers have at most some thousand models. */
const MAX_CHANGES = 5000;

const { discount: _, ...units } = pricingSchema.shape;
/** Facts of the catalog that lists state. */
const FIELDS: ReadonlySet<string> = new Set([
  'context_length',
  'max_completion_tokens',
  'supported_parameters',
  'input_modalities',
  ...Object.keys(units).map((unit) => `pricing.${unit}`),
]);

const factSchema = z.union([z.string(), z.int(), z.array(z.string()), z.array(pricingOverrideSchema)]);

export const catalogChangeSchema = z.object({
  model: z.string(),
  /** The slug of the provider whose endpoint it is. */
  provider: z.string(),
  /** The tag of the endpoint; null for one without. */
  tag: z.string().nullable(),
  /** `context_length`, `max_completion_tokens`, `supported_parameters`, `input_modalities`, or `pricing.` with a unit. */
  field: z.string(),
  /** In the catalog that is served; null when not known. Prices are USD a unit, as decimal text. */
  from: factSchema.nullable(),
  /** In the list. */
  to: factSchema,
});
export type CatalogChangeBody = z.infer<typeof catalogChangeSchema>;

const foundChangeSchema = catalogChangeSchema.extend({
  /** Why it cannot be applied, in words; null when it can. */
  blocked: z.string().nullable(),
});

export const catalogComparisonSchema = z.object({
  compared_at: z.iso.datetime(),
  changes: z.array(foundChangeSchema),
  /** For a person to check. `unlisted`: an endpoint that the list does not have. */
  notes: z.array(
    z.object({
      model: z.string(),
      provider: z.string(),
      kind: z.enum(['unlisted', 'doubtful_prices', 'old_overrides']),
      text: z.string(),
    }),
  ),
  /** The lists that were read. */
  lists: z.array(
    z.object({
      provider: z.string(),
      /** Its address, where another than the provider's own was read; `document` for a document. */
      from: z.string().nullable(),
      listed: z.int(),
      compared: z.int(),
      /** Why it could not be read; null when it was. */
      problem: z.string().nullable(),
    }),
  ),
});
export type CatalogComparisonBody = z.infer<typeof catalogComparisonSchema>;

/** The response of `GET /admin/v1/setup/catalog`. */
export const catalogStateSchema = z.object({
  data: z.object({
    /** What the last comparison on the schedule has found and is still so; null before the first. */
    latest: catalogComparisonSchema.nullable(),
    /** Hours between two comparisons; null without a schedule. */
    every_hours: z.number().nullable(),
  }),
});
export type CatalogState = z.infer<typeof catalogStateSchema>['data'];

/** The body of `POST /admin/v1/setup/catalog/comparisons`. Closed. */
export const compareCatalogRequestSchema = z
  .strictObject({
    /** The provider whose endpoints are compared. Default: every provider that lists its models. */
    provider: z.string().optional(),
    /** The address of a list of models, which says no more than that: `provider` says whose prices they are. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** Sent to `url` as a bearer token, and stored nowhere. */
    api_key: z.string().optional(),
    /** The list itself. */
    document: z.unknown().optional(),
  })
  .refine(({ url, document }) => url === undefined || document === undefined, {
    path: ['document'],
    message: 'excludes url: give one of them',
  })
  .refine(({ url, document, provider }) => (url ?? document) === undefined || provider !== undefined, {
    path: ['provider'],
    message: 'is missing: a list does not say whose prices it states',
  })
  .refine(({ url, api_key }) => api_key === undefined || url !== undefined, {
    path: ['api_key'],
    message: 'is for url alone: a provider is asked with its own key',
  });
export type CompareCatalogRequest = z.infer<typeof compareCatalogRequestSchema>;

export const catalogComparisonResponseSchema = z.object({ data: catalogComparisonSchema });

/** The body of `POST /admin/v1/setup/catalog/changes`. Closed. */
export const applyCatalogRequestSchema = z.strictObject({
  changes: z
    .array(
      z.strictObject({
        ...catalogChangeSchema.shape,
        tag: catalogChangeSchema.shape.tag.default(null),
        field: z.string().refine((field) => FIELDS.has(field), 'is not a fact that lists state'),
        from: catalogChangeSchema.shape.from.default(null),
      }),
    )
    .min(1)
    .max(MAX_CHANGES),
});

/** A model's definition among those that are set up; its fields are those of a config file. Null: none. */
const definitionSchema = z.record(z.string(), z.unknown()).nullable();

export const appliedChangesSchema = z.object({
  data: z.object({
    applied: z.int(),
    /** What was stored of each model before, by which it is undone: `PUT` it again, or `DELETE` where it is null. */
    models: z.array(z.object({ id: z.string(), before: definitionSchema, after: definitionSchema })),
  }),
});
export type AppliedChanges = z.infer<typeof appliedChangesSchema>['data'];
