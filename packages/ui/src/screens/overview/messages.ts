import { createMessages, plural } from '../../messages/locale.ts';

/** Texts of the overview. */
export const overviewMessages = createMessages(
  {
    title: 'Overview',
    loading: 'the overview',
    latestFailed: 'The latest requests could not be loaded',
    attention: {
      title: 'Needs attention',
      nothing: 'Nothing right now',
      unknown: 'Can’t tell: the figures could not be loaded.',
      view: 'View',
      unreachable: 'The gateway can’t be reached. What you see may be out of date.',
      storeAway:
        'The database is unavailable. Requests continue and are recorded when it returns; requests with a budget may be refused.',
      sharedAway:
        'Redis is unavailable. Each process counts rate limits separately, or refuses limited requests, as configured.',
      unrecorded: 'A request could not be recorded. Check the disk and the log.',
      noProvider: 'No provider is configured, so no requests can be served.',
      down: (name: string): string => `${name} is down. None of its endpoints responds.`,
      degraded: (name: string): string => `${name} is degraded. Some of its endpoints fail.`,
      keyRefused: (name: string, key: string, status: string): string =>
        `${name} refused the key “${key}” (HTTP ${status}). It is not used any more.`,
      failed: (count: number, number: string, span: string): string =>
        `${number} ${plural.en(count, { one: 'request', other: 'requests' })} failed · ${span}`,
      interrupted: (count: number, number: string, span: string): string =>
        `${number} ${plural.en(count, { one: 'request was', other: 'requests were' })} interrupted because the gateway stopped · ${span}`,
      selected: 'Selected span',
      usedUp: (key: string): string => `The key “${key}” has used up its limit.`,
      nearlyUsed: (key: string): string => `The key “${key}” has used over 90% of its limit.`,
      expires: (key: string): string => `The key “${key}” expires within a week.`,
    },
    status: {
      title: 'Status',
      gateway: 'Gateway',
      running: 'Running requests',
      runningCount: (all: string, streamed: string): string => (streamed === '' ? all : `${all}, ${streamed} streamed`),
      api: 'API',
      providers: 'Providers',
      none: 'none yet',
      models: 'Models',
      keys: 'Keys',
    },
    connect: {
      title: 'Connect a tool',
      tool: 'Tool',
      copy: 'Copy',
      snippet: (tool: string): string => `Snippet for ${tool}`,
      note: 'Set GATEWAY_API_KEY to one of your keys.',
      guide: 'Create a key and settings for a tool',
      steps: 'Show first steps',
    },
    steps: {
      title: 'Get started',
      progress: (done: number, all: number): string => `${done} of ${all} done`,
      names: ['Add a provider', 'Send a test request', 'Create a key', 'Connect a tool'],
      next: 'Continue',
      dismiss: 'Dismiss',
    },
  },
  {
    de: {
      title: 'Übersicht',
      loading: 'Übersicht',
      latestFailed: 'Die letzten Anfragen konnten nicht geladen werden',
      attention: {
        title: 'Zu beachten',
        nothing: 'Zurzeit nichts',
        unknown: 'Nicht bekannt: Die Zahlen konnten nicht geladen werden.',
        view: 'Anzeigen',
        unreachable: 'Das Gateway ist nicht erreichbar. Die Anzeige kann veraltet sein.',
        storeAway:
          'Die Datenbank ist nicht erreichbar. Anfragen laufen weiter und werden später gespeichert; Anfragen mit Budget können abgelehnt werden.',
        sharedAway:
          'Redis ist nicht erreichbar. Jeder Prozess zählt Ratenlimits für sich oder lehnt begrenzte Anfragen ab, je nach Konfiguration.',
        unrecorded: 'Eine Anfrage konnte nicht gespeichert werden. Festplatte und Protokoll prüfen.',
        noProvider: 'Es ist kein Anbieter eingerichtet. Anfragen können nicht beantwortet werden.',
        down: (name) => `${name} ist ausgefallen. Keiner seiner Endpunkte antwortet.`,
        degraded: (name) => `${name} ist gestört. Einige seiner Endpunkte schlagen fehl.`,
        keyRefused: (name, key, status) =>
          `${name} hat den Schlüssel „${key}“ abgelehnt (HTTP ${status}). Er wird nicht mehr verwendet.`,
        failed: (count, number, span) =>
          `${number} ${plural.de(count, { one: 'Anfrage ist', other: 'Anfragen sind' })} fehlgeschlagen · ${span}`,
        interrupted: (count, number, span) =>
          `${number} ${plural.de(count, { one: 'Anfrage wurde', other: 'Anfragen wurden' })} beim Beenden des Gateways unterbrochen · ${span}`,
        selected: 'Ausgewählter Zeitraum',
        usedUp: (key) => `Das Limit des Schlüssels „${key}“ ist aufgebraucht.`,
        nearlyUsed: (key) => `Das Limit des Schlüssels „${key}“ ist zu über 90 % aufgebraucht.`,
        expires: (key) => `Der Schlüssel „${key}“ läuft innerhalb einer Woche ab.`,
      },
      status: {
        title: 'Status',
        gateway: 'Gateway',
        running: 'Laufende Anfragen',
        runningCount: (all, streamed) => (streamed === '' ? all : `${all}, davon ${streamed} als Stream`),
        api: 'API',
        providers: 'Anbieter',
        none: 'noch keine',
        models: 'Modelle',
        keys: 'Schlüssel',
      },
      connect: {
        title: 'Tool verbinden',
        tool: 'Tool',
        copy: 'Kopieren',
        snippet: (tool) => `Beispiel für ${tool}`,
        note: 'GATEWAY_API_KEY auf einen Schlüssel setzen.',
        guide: 'Schlüssel und Einstellungen für ein Tool erstellen',
        steps: 'Erste Schritte anzeigen',
      },
      steps: {
        title: 'Erste Schritte',
        progress: (done, all) => `${done} von ${all} erledigt`,
        names: ['Anbieter hinzufügen', 'Testanfrage senden', 'Schlüssel erstellen', 'Tool verbinden'],
        next: 'Fortfahren',
        dismiss: 'Ausblenden',
      },
    },
  },
);
