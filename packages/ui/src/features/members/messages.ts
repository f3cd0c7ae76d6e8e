import { createMessages } from '../../messages/locale.ts';

export const memberPartMessages = createMessages(
  {
    roles: {
      owner: 'Owner',
      administrator: 'Administrator',
      billing: 'Billing',
      developer: 'Developer',
      viewer: 'Viewer',
    },
    workspaceRoles: { administrator: 'Administrator', member: 'Member', viewer: 'Viewer' },
    roleHints: {
      owner: 'Does everything, and makes other owners.',
      administrator: 'Does everything but make or change owners.',
      billing: 'Sees all spend and sets limits and budgets. Sees no requests.',
      developer: 'Sees their own requests, keys and spend, and makes keys for themselves.',
      viewer: 'Sees their own requests, keys and spend, and changes nothing.',
    },
  },
  {
    de: {
      roles: {
        owner: 'Inhaber',
        administrator: 'Administrator',
        billing: 'Abrechnung',
        developer: 'Entwickler',
        viewer: 'Betrachter',
      },
      workspaceRoles: { administrator: 'Administrator', member: 'Mitglied', viewer: 'Betrachter' },
      roleHints: {
        owner: 'Darf alles und ernennt weitere Inhaber.',
        administrator: 'Darf alles, außer Inhaber zu ernennen oder zu ändern.',
        billing: 'Sieht alle Ausgaben und setzt Limits und Budgets. Sieht keine Anfragen.',
        developer: 'Sieht eigene Anfragen, Schlüssel und Ausgaben und erstellt Schlüssel für sich.',
        viewer: 'Sieht eigene Anfragen, Schlüssel und Ausgaben und ändert nichts.',
      },
    },
  },
);
