import type { DataPolicy, ProviderSettings } from '@model-gateway/core';

/** A provider that a package of the AI SDK calls. Holds secrets. */
export interface PackageConfig {
  readonly slug: string;
  readonly name: string;
  readonly package: string;
  readonly factory: string | undefined;
  /** What the package's function is given, with the key, the address and the headers. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dataPolicy: DataPolicy | undefined;
  readonly region: string | undefined;
  readonly byok: boolean;
}

/** Fills an entry in. Expects what `checkProvider` has passed, of a provider with a `package`. */
export function toPackageConfig(entry: ProviderSettings & { readonly package: string }): PackageConfig {
  const { slug, name = slug, package: specifier, factory, options, apiKey, baseUrl, headers } = entry;
  return {
    slug,
    name,
    package: specifier,
    factory,
    options: {
      // Most packages call it the first, Replicate's the second; what one does not know it ignores.
      ...(apiKey != null && { apiKey, apiToken: apiKey }),
      ...(baseUrl !== undefined && { baseURL: baseUrl }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...options,
    },
    dataPolicy: entry.dataPolicy,
    region: entry.region,
    byok: entry.byok,
  };
}

/** Whether a package calls the provider. */
export const isOfPackage = <Entry extends ProviderSettings>(entry: Entry): entry is Entry & { package: string } =>
  entry.package !== undefined;
