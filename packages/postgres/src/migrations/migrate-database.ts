import { type ConnectionOptions, createDatabaseConnection } from '../connection/connection.ts';
import { describeDatabaseError, UnusableDatabaseError } from '../connection/errors.ts';
import { buildIndexes } from './build-indexes.ts';
import { migrate } from './migrate.ts';

/**
 * Brings a database to the schema of this version and builds its indexes, while calls are recorded; several processes may do it at once. Resolves with the names of the
 * migrations that this call has applied. Rejects with an `UnusableDatabaseError`, or a `DatabaseUrlError`.
 */
export async function migrateDatabase(options: ConnectionOptions): Promise<readonly string[]> {
  const connection = createDatabaseConnection({ ...options, maxConnections: 1 });
  try {
    const applied = await migrate(connection);
    await buildIndexes(connection);
    return applied;
  } catch (error) {
    const { message, isPermanent } = describeDatabaseError(error, connection.address);
    throw new UnusableDatabaseError(message, { isPermanent, cause: error });
  } finally {
    await connection.close();
  }
}
