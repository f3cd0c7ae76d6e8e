import { refuseField } from '../../wire/fields.ts';
import type { ModelStanding } from './compose-setup.ts';
import type { ProviderStanding } from './open-provider-row.ts';

/** Throws `invalid_request` when what was changed could not be put into force. */
export function refuseUnusable(standing: ProviderStanding | ModelStanding | undefined): void {
  if (standing?.status === 'failed') throw refuseField('body', standing.problem ?? 'it cannot be used');
}
