import { dirname, resolve } from 'node:path';

import * as z from '@model-gateway/core/foundation/zod';

/** Fields of whatever is made by code of the operator's own. */
export const moduleFields = {
  module: z
    .string()
    .min(1)
    .describe('File with JavaScript of your own that makes it; relative to the config file. It runs in the gateway'),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('Given to that code; texts directly in it may be env:NAME or file:PATH'),
};

const slug = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be letters, digits, dots, underscores or hyphens, e.g. "my-filter"');

/** An entry of a list that is made by a module. */
export const moduleEntrySchema = z.strictObject({
  slug: slug.describe('Its name in logs and records'),
  ...moduleFields,
});

/** Code of the operator's own that makes one part of the gateway. May hold secrets. */
export interface ModuleConfig {
  readonly slug: string;
  /** Absolute. */
  readonly module: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** The field of the config file that names the module: `providers[1].module`. */
  readonly place: string;
}

/** An entry with its path made absolute: relative ones begin at the config file. */
export function toModuleConfig(
  { slug: name, module, options }: Pick<ModuleConfig, 'slug' | 'module' | 'options'>,
  { file, place }: { readonly file: string; readonly place: string },
): ModuleConfig {
  return { slug: name, module: resolve(dirname(file), module), options, place: `${place}.module` };
}
