import { operation } from '../../http/operation.ts';
import { pageQuerySchema, toPage } from '../../wire/fields.ts';
import { anyKeyListSchema } from '../../wire/keys.ts';
import type { AnyKeyParts } from './key-parts.ts';
import { toAnyKeyBody, toConfiguredKeyBody } from './to-any-key-body.ts';

/**
 * `GET /admin/v1/keys`: all keys of all workspaces, disabled ones and those of the configuration included, which come
 * first. `GET /keys`, which clients of the public API read, has those alone that it can also change.
 */
export const listAllKeys = operation<AnyKeyParts>()({
  query: pageQuerySchema,
  response: anyKeyListSchema,
  async run({ parts, query }) {
    const configured = await parts.configuredKeys();
    // With the key of the configuration counts what the configuration says.
    const stored = (await parts.store.keys.list()).filter(({ hash }) => !configured.has(hash));
    const page = toPage([...configured, ...stored], query);
    const data = await Promise.all(
      page.data.map((row) => ('hash' in row ? toAnyKeyBody(row, parts) : toConfiguredKeyBody(...row, parts))),
    );
    return { ...page, data };
  },
});
