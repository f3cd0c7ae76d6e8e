import { CALL_KINDS, type CallKindName, kindOfModel } from '../../calls/call-kind.ts';
import type { CatalogModel } from '../../catalog/catalog.ts';
import { refuseField } from '../../wire/fields.ts';

/** Kinds of output that a chat can ask for beside text. */
const OUTPUTS_OF_CHATS: readonly string[] = ['image', 'audio'];

/**
 * Throws `invalid_request` for a model whose declared output is none that this kind of call is for, and says which
 * operation is. `requested` are the outputs beside the usual one that the request asks for.
 */
export function refuseOtherKind(model: CatalogModel, kind: CallKindName, requested: readonly string[]): void {
  const outputs = model.definition.architecture?.output_modalities;
  const { output } = CALL_KINDS[kind];
  if (outputs === undefined || outputs.includes(output) || requested.some((other) => outputs.includes(other))) return;
  throw refuseField('model', `${model.id} makes no ${output}${adviceOn(model, outputs)}`);
}

function adviceOn(model: CatalogModel, outputs: readonly string[]): string {
  const right = kindOfModel(model);
  if (right !== 'chat' || outputs.includes(CALL_KINDS.chat.output)) {
    return `; it is called by ${CALL_KINDS[right].operation}`;
  }
  const possible = OUTPUTS_OF_CHATS.filter((other) => outputs.includes(other));
  if (possible.length > 0) return `; in a chat it needs modalities: ${JSON.stringify(possible)}`;
  return `, and no operation of this gateway serves its output (${outputs.join(', ')})`;
}
