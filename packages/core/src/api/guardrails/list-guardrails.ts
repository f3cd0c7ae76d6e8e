import { DEFAULT_WORKSPACE_ID } from '../../auth/keys.ts';
import { operation } from '../../http/operation.ts';
import { toPage, workspacePageQuerySchema } from '../../wire/fields.ts';
import { guardrailListSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `GET /guardrails`: those of one workspace. */
export const listGuardrails = operation<GuardrailParts>()({
  query: workspacePageQuerySchema,
  response: guardrailListSchema,
  async run({ parts, query }) {
    const wanted = query.workspace_id ?? DEFAULT_WORKSPACE_ID;
    const found = (await parts.store.guardrails.list()).filter(({ workspace_id: id }) => id === wanted);
    return toPage(found, query);
  },
});
