/** Redis cannot be asked now. Its message is a sentence for the operator. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';
}
