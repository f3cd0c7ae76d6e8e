export type { ConnectionOptions } from './connection/database-connection.ts';
export { DatabaseUrlError } from './connection/database-address.ts';
export { UnusableDatabaseError } from './connection/unusable-database-error.ts';
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './create-postgres-store.ts';
export { migrateDatabase } from './migrations/migrate-database.ts';
export type { SpoolLimits } from './generations/write/append.ts';
