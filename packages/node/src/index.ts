export { ConfigError, type ConfigIssue } from './config/config-errors.ts';
export { type ConfigFlags, type GatewayConfig, loadConfig, type LoadConfigOptions } from './config/load-config.ts';
export type { ModuleConfig } from './config/module-config.ts';
export {
  checkProvider,
  DEMO_KEY,
  DEMO_MANAGEMENT_KEY,
  type ProviderCheck,
  type ProviderProblem,
} from './config/check-config.ts';
export { isOfPackage, type PackageConfig, toPackageConfig } from './config/package-config.ts';
export { type ProviderConfig, type ProviderPreset, toProviderConfig } from './config/provider-config.ts';
export { createNodePlatform } from './node-platform.ts';
export { listen, type Listener, type ListenOptions } from './http/listen.ts';
export { createAddressMatcher, isLoopbackHost } from './http/guard-request.ts';
export { type NodeRequestOptions, toGatewayRequest } from './http/to-gateway-request.ts';
export {
  createMountedGateway,
  lostBody,
  type MountedGateway,
  type MountedRequestOptions,
  type MountOptions,
  type NodeHandler,
  type NodeHandlerOptions,
  type ParsedBody,
  readParsedBody,
  toNodeHandler,
} from './mounted.ts';
export { type WriteOptions, writeResponse } from './http/write-response.ts';
export { createDiskFileStorage, type DiskFileStorageOptions } from './files/disk-file-storage.ts';
export { createSealedFileStorage, type SealedFileStorageOptions } from './files/sealed-file-storage.ts';
export { createS3FileStorage, type S3FileStorageOptions } from './files/s3-file-storage.ts';
export { createFileVideoArchive, type FileVideoArchiveOptions } from './videos/file-video-archive.ts';
export { openSecretBox, type SecretBoxOptions, SecretsKeyError } from './secrets/secret-box.ts';
export { hasStoredProviders, readStoredProviders } from './stores/tables/config-file.ts';
export { makeDirectory } from './stores/files/directory.ts';
export { DirectoryInUseError } from './stores/files/ownership.ts';
export { readAuditLog } from './stores/audit/audit-log.ts';
export { createJsonFileStore, type JsonFileStore, type JsonFileStoreOptions } from './stores/json-file-store.ts';
export { openRecordJournal, type RecordJournalOptions } from './stores/record-journal.ts';
