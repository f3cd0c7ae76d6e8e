import { describeUnknownName } from '../../catalog/refuse-unknown-names.ts';
import { refuseUnknownTools } from '../../chat/stages/server-tools/server-tool.ts';
import { isModelName } from '../../routing/resolve-models.ts';
import type { Workspace } from '../../wire/account.ts';
import { refuseField } from '../../wire/fields.ts';
import { refuseCallbackUrl } from '../webhooks/refuse-callback-url.ts';
import type { WorkspaceParts } from './workspace-parts.ts';

type Field = 'default_callback_url' | 'default_text_model' | 'disabled_server_tools';
type Change = { readonly [Name in Field]?: Workspace[Name] | undefined };

/**
 * Throws `invalid_request` for settings of a workspace that could never have an effect: an address that is not called, a
 * model that is unknown, a server tool that does not exist. What stands there already may stay.
 */
export function refuseWithoutEffect(change: Change, before: Change | undefined, parts: WorkspaceParts): void {
  refuseCallbackUrl('default_callback_url', change.default_callback_url, parts.webhooks);
  const { default_text_model: model, disabled_server_tools: tools } = change;
  if (model != null && model !== before?.default_text_model && !isModelName(model, parts.catalog)) {
    throw refuseField('default_text_model', describeUnknownName(model, 'models', parts.catalog));
  }
  const added = (name: string): boolean => before?.disabled_server_tools?.includes(name) !== true;
  refuseUnknownTools('disabled_server_tools', tools ?? [], { serverTools: parts.serverTools, isChecked: added });
}
