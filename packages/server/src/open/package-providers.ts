import { dirname } from 'node:path';
import process from 'node:process';

import type { Provider, Transport } from '@model-gateway/core';
import type { GatewayConfig, PackageConfig } from '@model-gateway/node';

import { StartError } from '../process/start-error.ts';
import { importFile } from './load-modules.ts';

/** Where operators install packages: beside the config file, or where the command was started. */
export const packageFolderOf = ({ file }: Pick<GatewayConfig, 'file'>): string =>
  file === null ? process.cwd() : dirname(file);

export interface PackageParts {
  readonly folder: string;
  /** Calls the provider. */
  readonly transport: Transport;
  /** Calls addresses that callers and upstreams name. Refuses internal ones. */
  readonly downloads: Transport;
}

/**
 * Makes the provider of a package, whose code is loaded at its first call. Throws `StartError` where the package is not
 * installed, or is none of the AI SDK.
 */
export async function createPackageProvider(config: PackageConfig, parts: PackageParts): Promise<Provider> {
  const [{ createAiSdkProvider }, { findPackageProblem }] = await Promise.all([
    import('@model-gateway/ai-sdk'),
    import('@model-gateway/ai-sdk/packages'),
  ]);
  const problem = findPackageProblem({ package: config.package, folder: parts.folder });
  if (problem !== undefined) throw new StartError(`package of the provider "${config.slug}": ${problem}`);
  return createAiSdkProvider({ ...config, ...parts, importFile });
}
