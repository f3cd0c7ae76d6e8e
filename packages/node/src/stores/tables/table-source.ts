import type { TableSource } from '@model-gateway/core';

import type { ConfigFile } from './config-file.ts';

/** The tables of the configuration file for the repositories. Reads from memory. */
export function createTableSource(config: ConfigFile): TableSource {
  return {
    read: () => config.data,
    change: (change) => config.change((data) => ({ ...data, ...change(data) })),
  };
}
