import { refuseField } from '../../wire/refuse-field.ts';
import type { ModelStanding, ProviderStanding } from './compose-setup.ts';

/** Throws `invalid_request` when what was changed could not be put into force. */
export function refuseUnusable(standing: ProviderStanding | ModelStanding | undefined): void {
  if (standing?.status === 'failed') throw refuseField('body', standing.problem ?? 'it cannot be used');
}
