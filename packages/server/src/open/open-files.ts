import { join } from 'node:path';

import {
  createMemoryFileStorage,
  type FileOptions,
  type FileStorage,
  type SecretBox,
  type Store,
} from '@model-gateway/core';
import {
  createDiskFileStorage,
  createNodePlatform,
  createS3FileStorage,
  createSealedFileStorage,
  type GatewayConfig,
} from '@model-gateway/node';

const MIB = 1024 * 1024;
const DAY_SECONDS = 24 * 60 * 60;
/** All files of a gateway whose memory is all it has. */
const MEMORY_MIB = 256;

/** What files are stored with: beside the rows of the store. Undefined where none are to be, or the store has no place. */
export async function openFiles(config: GatewayConfig, store: Store, box: SecretBox): Promise<FileOptions | undefined> {
  const { maxMb, workspaceMaxMb, workspaceMaxFiles, retentionDays, downloads, sealed } = config.files;
  if (maxMb === 0) return undefined;
  const storage = await openStorage(config, store);
  if (storage === undefined) return undefined;
  const workspaceMb =
    config.store.type === 'memory' && config.files.s3 === null ? Math.min(workspaceMaxMb, MEMORY_MIB) : workspaceMaxMb;
  // Without a key that every process has, it is better to stop than to refuse each file.
  if (sealed) await box.seal('', 'files.sealed');
  return {
    storage: createSealedFileStorage({ storage, box, isSealing: sealed }),
    maxBytes: maxMb * MIB,
    maxWorkspaceBytes: workspaceMb * MIB,
    maxWorkspaceFiles: workspaceMaxFiles,
    downloadsUploads: downloads,
    retentionSeconds: retentionDays === null ? null : retentionDays * DAY_SECONDS,
  };
}

async function openStorage(
  { store: place, files: { s3 } }: GatewayConfig,
  store: Store,
): Promise<FileStorage | undefined> {
  if (s3 !== null) return createS3FileStorage(s3);
  switch (place.type) {
    case 'memory':
      return createMemoryFileStorage(createNodePlatform());
    case 'json':
      return createDiskFileStorage({ dir: join(place.dir, 'files') });
    case 'postgres':
      return 'fileStorage' in store ? (store.fileStorage as FileStorage) : undefined;
    case 'module':
      return undefined;
  }
}
