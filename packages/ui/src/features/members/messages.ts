import { createMessages } from '../../messages/locale.ts';

export const memberPartMessages = createMessages(
  { roles: { 'org:admin': 'Administrator', 'org:member': 'Member' } },
  { de: { roles: { 'org:admin': 'Administrator', 'org:member': 'Mitglied' } } },
);
