import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { toPage } from '../../wire/fields.ts';
import { keyListQuerySchema, keyListSchema } from '../../wire/keys.ts';
import type { KeyParts } from './key-parts.ts';
import { toKeyBody } from './to-key-body.ts';

/** `GET /keys`: the keys of one workspace, disabled ones only on request. */
export const listKeys = operation<KeyParts>()({
  query: keyListQuerySchema,
  response: keyListSchema,
  async run({ parts, query }) {
    const { include_disabled: includeDisabled, workspace_id: wanted = DEFAULT_WORKSPACE_ID } = query;
    const found = (await parts.store.keys.list()).filter(
      ({ disabled, workspaceId }) => workspaceId === wanted && (includeDisabled === 'true' || !disabled),
    );
    const page = toPage(found, query);
    const data = await Promise.all(page.data.map((record) => toKeyBody(record, parts)));
    return { ...page, data };
  },
});
