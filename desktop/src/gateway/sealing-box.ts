import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { SecretBox } from '@model-gateway/core';
import { openSecretBox } from '@model-gateway/node';

export interface SealingOptions {
  /** Of the system's keyring; null where there is none. */
  readonly secretsKey: string | null;
  /** That of the user's environment, which goes before. */
  readonly environmentKey: string | undefined;
  readonly dataDir: string;
}

/**
 * Opens the box for the keys of providers that are set up. A key of the keyring seals; what a file beside the data has
 * sealed can still be opened as long as that file is there.
 */
export function openSealingBox({ secretsKey, environmentKey, dataDir }: SealingOptions): SecretBox {
  const besideData = openSecretBox({ environmentKey, dir: dataDir });
  const isGiven = environmentKey !== undefined && environmentKey.trim() !== '';
  if (secretsKey === null || isGiven) return besideData;
  const ofKeyring = openSecretBox({ environmentKey: secretsKey, dir: null });
  return {
    seal: ofKeyring.seal,
    async open(sealed, context) {
      try {
        return await ofKeyring.open(sealed, context);
      } catch (error) {
        if (!existsSync(join(dataDir, 'secrets.key'))) throw error;
        return besideData.open(sealed, context);
      }
    },
  };
}
