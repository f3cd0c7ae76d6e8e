import { createMessages, plural } from '../../messages/locale.ts';

export const callLimitMessages = createMessages(
  {
    title: 'Requests at once',
    what: 'limits on requests at once',
    notLoaded: 'The limits on requests at once could not be loaded',
    fromConfig: 'Set in the configuration file',
    about:
      'How many requests may run at the same time, by key, model and provider. Further requests wait in a queue in which callers take turns, or are refused with 429. Changes apply to the next request.',
    none: 'No limits. Any number of requests may run at once.',
    add: 'Add limit',
    edit: 'Edit…',
    delete: 'Delete',
    actionsFor: (limit: string) => `Actions for ${limit}`,
    all: 'All requests together',
    each: { key: 'Each key', model: 'Each model', provider: 'Each provider' },
    one: {
      key: (name: string) => `Key ${name}`,
      model: (id: string) => `Model ${id}`,
      provider: (slug: string) => `Provider ${slug}`,
    },
    atMost: (count: number, text: string) =>
      plural.en(count, { one: `At most ${text} request at once`, other: `At most ${text} requests at once` }),
    queue: (count: number, text: string, seconds: string) =>
      plural.en(count, {
        one: `, ${text} may wait up to ${seconds} s`,
        other: `, ${text} may wait up to ${seconds} s`,
      }),
    now: (running: string, waiting: string) => `${running} running, ${waiting} waiting`,
    counted: (count: number, text: string) =>
      plural.en(count, { one: `Counted at ${text} gateway instance.`, other: `Counted at ${text} gateway instances.` }),
    countedHere: 'Redis is unavailable. Only the requests of the gateway instance that responded are counted.',
    busiest: 'Busiest',
    saved: 'Limit saved',
    deleted: 'Limit deleted',
    restored: 'Limits restored',
    notSaved: 'Limits not changed',
    form: {
      newTitle: 'Add limit on requests at once',
      editTitle: 'Edit limit on requests at once',
      add: 'Add limit',
      save: 'Save',
      key: 'Key',
      model: 'Model',
      provider: 'Provider',
      together: { key: 'All keys together', model: 'All models together', provider: 'All providers together' },
      atOnce: 'Requests at once',
      length: 'Requests that may wait',
      lengthHint: 'Leave empty to refuse them at once',
      seconds: 'For how many seconds',
    },
  },
  {
    de: {
      title: 'Gleichzeitige Anfragen',
      what: 'Limits für gleichzeitige Anfragen',
      notLoaded: 'Die Limits für gleichzeitige Anfragen konnten nicht geladen werden',
      fromConfig: 'In der Konfigurationsdatei festgelegt',
      about:
        'Wie viele Anfragen gleichzeitig laufen dürfen, nach Schlüssel, Modell und Anbieter. Weitere warten in einer Schlange, in der Aufrufer sich abwechseln, oder werden mit 429 abgelehnt. Änderungen gelten ab der nächsten Anfrage.',
      none: 'Keine Limits. Beliebig viele Anfragen dürfen gleichzeitig laufen.',
      add: 'Limit hinzufügen',
      edit: 'Bearbeiten…',
      delete: 'Löschen',
      actionsFor: (limit) => `Aktionen für ${limit}`,
      all: 'Alle Anfragen zusammen',
      each: { key: 'Jeder Schlüssel', model: 'Jedes Modell', provider: 'Jeder Anbieter' },
      one: {
        key: (name) => `Schlüssel ${name}`,
        model: (id) => `Modell ${id}`,
        provider: (slug) => `Anbieter ${slug}`,
      },
      atMost: (count, text) =>
        plural.de(count, {
          one: `Höchstens ${text} Anfrage gleichzeitig`,
          other: `Höchstens ${text} Anfragen gleichzeitig`,
        }),
      queue: (count, text, seconds) =>
        plural.de(count, {
          one: `, ${text} darf bis zu ${seconds} s warten`,
          other: `, ${text} dürfen bis zu ${seconds} s warten`,
        }),
      now: (running, waiting) => `${running} laufen, ${waiting} warten`,
      counted: (count, text) =>
        plural.de(count, {
          one: `Gezählt an ${text} Gateway-Instanz.`,
          other: `Gezählt an ${text} Gateway-Instanzen.`,
        }),
      countedHere:
        'Redis ist nicht verfügbar. Gezählt werden nur die Anfragen der Gateway-Instanz, die geantwortet hat.',
      busiest: 'Am stärksten belegt',
      saved: 'Limit gespeichert',
      deleted: 'Limit gelöscht',
      restored: 'Limits wiederhergestellt',
      notSaved: 'Limits nicht geändert',
      form: {
        newTitle: 'Limit für gleichzeitige Anfragen hinzufügen',
        editTitle: 'Limit für gleichzeitige Anfragen bearbeiten',
        add: 'Limit hinzufügen',
        save: 'Speichern',
        key: 'Schlüssel',
        model: 'Modell',
        provider: 'Anbieter',
        together: {
          key: 'Alle Schlüssel zusammen',
          model: 'Alle Modelle zusammen',
          provider: 'Alle Anbieter zusammen',
        },
        atOnce: 'Gleichzeitige Anfragen',
        length: 'Wartende Anfragen',
        lengthHint: 'Leer: sofort ablehnen',
        seconds: 'Höchstens so viele Sekunden',
      },
    },
  },
);
