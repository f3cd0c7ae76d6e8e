import { defaultGuardrailName, workspaceIdOfDefault } from '../../account/account.ts';
import { findWorkspace } from '../../account/workspaces.ts';
import {
  changeGuardrail,
  refuseBadPatterns,
  refuseUnknownInLists,
  toNewGuardrail,
} from '../../guardrails/change-guardrail.ts';
import { findGuardrail, noGuardrail } from '../../guardrails/policy.ts';
import { operation } from '../../http/operation.ts';
import { refuseField } from '../../wire/fields.ts';
import { type Guardrail, guardrailResponseSchema, updateGuardrailRequestSchema } from '../../wire/guardrails.ts';
import type { GuardrailParts } from './guardrail-parts.ts';

/** `PATCH /guardrails/{id}`. Creates the default guardrail of a workspace on its first change; its name is fixed. */
export const updateGuardrail = operation<GuardrailParts>()({
  params: ['id'],
  body: updateGuardrailRequestSchema,
  response: guardrailResponseSchema,
  async find({ params, parts }) {
    const initial = await beginDefault(params.id, parts);
    const before =
      initial === undefined ? await findGuardrail(params.id, parts) : await parts.store.guardrails.get(params.id);
    return { initial, before };
  },
  async run({ params: { id }, parts, body, found: { initial, before } }) {
    if (initial !== undefined && body.name !== undefined && body.name !== initial.name) {
      throw refuseField('name', `the default guardrail of a workspace is always "${initial.name}"`);
    }
    refuseUnknownInLists(body, before, parts.catalog);
    await refuseBadPatterns(body);
    const updatedAt = new Date(parts.platform.now()).toISOString();
    const updated = await parts.store.guardrails.update(
      id,
      (guardrail) => ({
        ...changeGuardrail(guardrail, body, parts.catalog),
        updated_at: guardrail === initial ? null : updatedAt,
      }),
      initial,
    );
    if (updated === undefined) throw noGuardrail(id);
    return { data: updated };
  },
});

/** Returns the initial state of a default guardrail; undefined when the id belongs to none. */
async function beginDefault(id: string, parts: GuardrailParts): Promise<Guardrail | undefined> {
  const workspaceId = workspaceIdOfDefault(id);
  if (workspaceId === undefined) return undefined;
  const workspace = await findWorkspace(workspaceId, parts).catch(() => undefined);
  return (
    workspace &&
    toNewGuardrail({
      id,
      name: defaultGuardrailName(workspaceId),
      workspace_id: workspaceId,
      created_at: new Date(parts.platform.now()).toISOString(),
    })
  );
}
