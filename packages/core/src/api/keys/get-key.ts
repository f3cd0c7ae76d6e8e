import { findKey } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { keyResponseSchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';
import { toKeyBody } from './to-key-body.ts';

/** `GET /keys/{hash}` */
export const getKey = operation<KeyParts>()({
  params: ['hash'],
  response: keyResponseSchema,
  async run({ params, parts }) {
    return { data: await toKeyBody(await findKey(params.hash, parts), parts) };
  },
});
