import { noKey } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { deletedSchema } from '../../wire/fields.ts';
import type { KeyParts } from './key-parts.ts';

/** `DELETE /keys/{hash}`: the key is refused from the next request on; what it has begun goes on. */
export const deleteKey = operation<KeyParts>()({
  params: ['hash'],
  response: deletedSchema,
  async run({ params: { hash }, parts }) {
    if (!(await parts.store.keys.remove(hash))) throw noKey(hash);
    return { deleted: true };
  },
});
