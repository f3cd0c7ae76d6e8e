import { chooseWorkspaceId } from '../../account/workspaces.ts';
import { createUuid } from '../../foundation/random-id.ts';
import {
  changeGuardrail,
  refuseBadPatterns,
  refuseUnknownInLists,
  toNewGuardrail,
} from '../../guardrails/change-guardrail.ts';
import { operation } from '../../http/operation.ts';
import { createGuardrailRequestSchema, guardrailResponseSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `POST /guardrails`: a new guardrail applies to no key and no member until it is assigned. */
export const createGuardrail = operation<GuardrailParts>()({
  body: createGuardrailRequestSchema,
  response: guardrailResponseSchema,
  status: 201,
  async run({ parts, body: { workspace_id: workspace, ...body } }) {
    refuseUnknownInLists(body, undefined, parts.catalog);
    await refuseBadPatterns(body);
    const empty = toNewGuardrail({
      id: createUuid(parts.platform),
      name: body.name,
      workspace_id: await chooseWorkspaceId(workspace, parts),
      created_at: new Date(parts.platform.now()).toISOString(),
    });
    const guardrail = changeGuardrail(empty, body, parts.catalog);
    await parts.store.guardrails.insert(guardrail);
    return { data: guardrail };
  },
});
