import { createMessages } from '../../messages/locale.ts';

/** Texts of pages of a key, a member, a provider or a model. */
export const resourcePageMessages = createMessages(
  {
    latest: 'the latest requests',
    latestFailed: 'The latest requests could not be loaded',
    back: 'Back to the list',
    openPage: 'Open page',
    itsRequests: 'View its requests',
    missing: (what: string): string => `${what.charAt(0).toUpperCase()}${what.slice(1)} not found`,
    resource: (what: string): string => `the ${what}`,
    resourceFailed: (what: string): string => `The ${what} could not be loaded`,
  },
  {
    de: {
      latest: 'Letzte Anfragen',
      latestFailed: 'Die letzten Anfragen konnten nicht geladen werden',
      back: 'Zurück zur Liste',
      openPage: 'Seite öffnen',
      itsRequests: 'Anfragen anzeigen',
      missing: (what) => `${what} nicht gefunden`,
      resource: (what) => what,
      resourceFailed: (what) => `${what}: konnte nicht geladen werden`,
    },
  },
);
