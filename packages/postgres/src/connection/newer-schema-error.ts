/** A newer version of the gateway has changed the tables. Trying again does not help. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  constructor(unknown: readonly string[]) {
    super(
      `The database was migrated by a newer version of the gateway (${unknown.join(', ')}): ` +
        'update this one, or use another database',
    );
  }
}
