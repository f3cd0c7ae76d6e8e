export type { ConnectionOptions } from './connection/connection.ts';
export { DatabaseUrlError, UnusableDatabaseError } from './connection/errors.ts';
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './create-postgres-store.ts';
export { migrateDatabase } from './schema/migrate.ts';
export type { SpoolLimits } from './generations/append.ts';
