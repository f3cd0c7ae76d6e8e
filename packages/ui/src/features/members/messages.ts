import { createMessages } from '../../messages/locale.ts';

export const memberPartMessages = createMessages(
  { roles: { 'org:admin': 'administrator', 'org:member': 'member' } },
  { de: { roles: { 'org:admin': 'Administrator', 'org:member': 'Mitglied' } } },
);
