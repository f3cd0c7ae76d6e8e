import type { ModelStanding } from '../../setup/compose-setup.ts';
import type { ProviderStanding } from '../../setup/provider-rows.ts';
import { refuseField } from '../../wire/fields.ts';

/** Throws `invalid_request` when what was changed could not be put into force. */
export function refuseUnusable(standing: ProviderStanding | ModelStanding | undefined): void {
  if (standing?.status === 'failed') throw refuseField('body', standing.problem ?? 'it cannot be used');
}
