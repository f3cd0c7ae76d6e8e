import { createMessages } from '../messages/locale.ts';

/** How the gateway is, and names of what can be copied for other programs. */
export const appMessages = createMessages(
  {
    states: {
      checking: 'Checking',
      running: 'Running',
      unreachable: 'Unreachable',
      starting: 'Starting',
      'not-listening': 'Not listening',
      paused: 'Paused',
      failed: 'Failed to start',
    },
    troubles: {
      closing: { word: 'Shutting down', effect: 'new requests are refused' },
      store_not_ready: { word: 'Not ready', effect: 'requests are refused' },
      store_away: { word: 'Database unavailable', effect: 'requests continue' },
      shared_away: { word: 'Redis unavailable', effect: 'limits are not shared' },
      unrecorded: { word: 'Degraded', effect: 'some requests were not recorded' },
    },
    snippets: {
      baseUrl: 'Base URL',
      bash: 'Environment (bash, zsh)',
      powerShell: 'Environment (PowerShell)',
      python: 'OpenAI SDK, Python',
      typeScript: 'OpenAI SDK, TypeScript',
    },
    localUser: 'the local user',
  },
  {
    de: {
      states: {
        checking: 'Wird geprüft',
        running: 'Läuft',
        unreachable: 'Nicht erreichbar',
        starting: 'Startet',
        'not-listening': 'Port nicht verfügbar',
        paused: 'Angehalten',
        failed: 'Start fehlgeschlagen',
      },
      troubles: {
        closing: { word: 'Wird beendet', effect: 'neue Anfragen werden abgelehnt' },
        store_not_ready: { word: 'Nicht bereit', effect: 'Anfragen werden abgelehnt' },
        store_away: { word: 'Datenbank nicht erreichbar', effect: 'Anfragen laufen weiter' },
        shared_away: { word: 'Redis nicht erreichbar', effect: 'Limits gelten je Prozess' },
        unrecorded: { word: 'Eingeschränkt', effect: 'einige Anfragen wurden nicht aufgezeichnet' },
      },
      snippets: {
        baseUrl: 'Basisadresse',
        bash: 'Umgebung (bash, zsh)',
        powerShell: 'Umgebung (PowerShell)',
        python: 'OpenAI SDK, Python',
        typeScript: 'OpenAI SDK, TypeScript',
      },
      localUser: 'lokal angemeldet',
    },
  },
);
