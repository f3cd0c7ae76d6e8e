import type { ReactNode } from 'react';

import { createMessages } from '../../messages/locale.ts';

/** Connecting a tool. What each tool is, its steps and its notes are told by `inToolWords`. */
export const connectMessages = createMessages(
  {
    tiles: {
      search: 'Search tools',
      shortcut: 'Search',
      list: 'Tools',
      publicAddress: 'Needs a public address',
      noMatch:
        'No matching tool. Any OpenAI or OpenRouter client works with a base URL and a key: see “curl” for both.',
    },
    setup: {
      connect: (tool: string) => `Connect ${tool}`,
      setUp: (tool: string) => `Set up ${tool}`,
      others: 'Other tools',
      keyCreated: (key: ReactNode, limit: number | null) => (
        <>
          The key {key} was created{limit !== null && `, limited to $${limit} a month`}. It is in the settings below.
          Copy it now. You won’t see it again.
        </>
      ),
      goodToKnow: 'Good to know',
      modelNames: (names: string) => `Model names: ${names}`,
      oneStep: 'In one step',
      oneStepText: (tool: string, undo: ReactNode) => (
        <>
          If {tool} runs on the gateway’s machine, one command creates a key and writes it to the settings of {tool}.
          With {undo} the command reverts everything.
        </>
      ),
      copyCommand: 'Copy the command',
      oneStepNote: 'Run it in the folder where the gateway was started. Or set it up by hand:',
      address: 'Gateway address for the tool',
      addressHint: 'Ends with /api/v1',
      addressInvalid: 'Enter an address that begins with https:// or http://',
      addressFirst: 'Enter the public address above to create a key.',
      copyGuide: 'Copy the link to its guide',
      guide: (tool: string) => `Guide for ${tool}`,
      keyKept: (key: string) => `The key “${key}” was kept`,
      keyKeptNote: 'It has no successful request yet. You can find it under Keys.',
      keyDeleted: (key: string) => `The key “${key}” was deleted`,
      keyNotDeleted: (key: string) => `The key “${key}” was not deleted`,
    },
    steps: {
      system: 'Operating system',
      file: 'File:',
      copyPath: (file: string) => `Copy the path ${file}`,
      where: 'Where:',
      copyField: (field: string) => `Copy: ${field}`,
    },
    key: {
      what: 'models and keys',
      noModels: (providers: (text: string) => ReactNode) => (
        <>No models yet. First add a provider under {providers('Providers')}.</>
      ),
      model: 'Model',
      modelUnknown: 'The gateway has no model with this ID. Unless it is an alias, requests are refused.',
      modelHint: 'The tool’s initial model. It can use others by their IDs.',
      name: 'Name of the key',
      limit: 'Monthly limit in USD',
      noLimit: 'no limit',
      notCreated: 'Key not created',
      create: 'Create key',
      createLimited: (limit: string) => `Create key with a limit of $${limit} a month`,
      tooLow: (reserved: string) =>
        `Too low for this model: the gateway reserves up to ${reserved} per request, unless the tool sends max_tokens.`,
      limitHint: (reserved: string | null) =>
        `Leave empty for no limit.${reserved === null ? '' : ` A request reserves up to ${reserved} while it runs.`} With a limit, models without a known price are refused.`,
      unpricedLimited: 'This model has no known price, so with a limit its requests are refused.',
      unpriced: 'No limit, because this model has no known price and would be refused.',
    },
    first: {
      title: 'First request',
      waiting: (tool: string) => `Waiting for the first request from ${tool}…`,
      notAsked: (message: string) => `Couldn’t query the gateway: ${message}. Trying again.`,
      hint: 'Send any message from the tool. It shows up here.',
      connected: (tool: string) => `${tool} is connected`,
      model: 'Model',
      cost: 'Cost',
      unknown: 'unknown',
      duration: 'Duration',
      time: 'Time',
      view: 'View request',
      fromAgent: (at: string, agent: string) => `${at}, from ${agent}`,
      cancelled: 'The tool cancelled the request',
      failed: 'A request arrived and failed',
      failedAdvice:
        'The tool is set up correctly; the request failed later. See its timeline for the providers and the reason.',
    },
    refusals: {
      key: 'A request was refused because of its key',
      keyAdvice: (tool: string) =>
        `If it came from ${tool}: copy the whole key again, and nothing else, and check whether another key overrides it, such as an environment variable.`,
      forms: {
        translations: 'API for translations',
        assistants: 'API for assistants',
        fineTuning: 'API for fine-tuning',
      },
      otherForm: (path: string, form: string) => `A request went to ${path}, the ${form}`,
      otherFormAdvice: (tool: string) =>
        `The gateway does not serve this address. Let ${tool} use another service for it.`,
      noPath: (method: string, path: string) => `A request went to ${method} ${path}, which does not exist`,
      noPathAdvice: (baseUrl: string, tool: string) =>
        `The base URL has to be exactly ${baseUrl}; ${tool} adds the rest by itself.`,
      refused: 'The gateway refused the request',
      model: (model: string) => `Use the gateway’s model ID: ${model}.`,
      notAccepted: 'The tool sent something that the gateway does not accept. See the message above.',
      limit: 'Raise the limit of the key under Keys. Under a limit, models without a known price are refused.',
      forbidden: 'A guardrail or an account setting forbids it. Check Guardrails and Settings.',
      tooLarge: 'Send less, or raise server.bodyLimitMb in the configuration.',
      rateLimit: 'It exceeds a rate limit. Wait a moment, or raise the limit.',
      other: 'Correct what the message above names, and try again.',
    },
  },
  {
    de: {
      tiles: {
        search: 'Tools suchen',
        shortcut: 'Suchen',
        list: 'Tools',
        publicAddress: 'Braucht eine öffentliche Adresse',
        noMatch:
          'Kein passendes Tool. Jeder Client für OpenAI oder OpenRouter funktioniert mit Basisadresse und Schlüssel: beides steht unter „curl“.',
      },
      setup: {
        connect: (tool) => `${tool} verbinden`,
        setUp: (tool) => `${tool} einrichten`,
        others: 'Andere Tools',
        keyCreated: (key, limit) => (
          <>
            Der Schlüssel {key} wurde erstellt{limit !== null && `, mit einem Limit von ${limit} $ im Monat`}. Er steht
            in den Einstellungen unten. Jetzt kopieren: Er wird nicht noch einmal angezeigt.
          </>
        ),
        goodToKnow: 'Gut zu wissen',
        modelNames: (names) => `Modellnamen: ${names}`,
        oneStep: 'In einem Schritt',
        oneStepText: (tool, undo) => (
          <>
            Läuft {tool} auf dem Rechner des Gateways, erstellt ein Befehl den Schlüssel und schreibt ihn in die
            Einstellungen von {tool}. Mit {undo} macht der Befehl alles rückgängig.
          </>
        ),
        copyCommand: 'Befehl kopieren',
        oneStepNote: 'Im Ordner ausführen, in dem das Gateway gestartet wurde. Oder von Hand einrichten:',
        address: 'Adresse des Gateways für das Tool',
        addressHint: 'Endet mit /api/v1',
        addressInvalid: 'Eine Adresse eingeben, die mit https:// oder http:// beginnt',
        addressFirst: 'Oben die öffentliche Adresse eingeben, um einen Schlüssel zu erstellen.',
        copyGuide: 'Link zur Anleitung kopieren',
        guide: (tool) => `Anleitung für ${tool}`,
        keyKept: (key) => `Der Schlüssel „${key}“ wurde behalten`,
        keyKeptNote: 'Mit ihm war noch keine Anfrage erfolgreich. Er steht unter „Schlüssel“.',
        keyDeleted: (key) => `Der Schlüssel „${key}“ wurde gelöscht`,
        keyNotDeleted: (key) => `Der Schlüssel „${key}“ wurde nicht gelöscht`,
      },
      steps: {
        system: 'Betriebssystem',
        file: 'Datei:',
        copyPath: (file) => `Pfad ${file} kopieren`,
        where: 'Wo:',
        copyField: (field) => `Kopieren: ${field}`,
      },
      key: {
        what: 'Modelle und Schlüssel',
        noModels: (providers) => (
          <>Noch keine Modelle. Zuerst unter {providers('Anbieter')} einen Anbieter hinzufügen.</>
        ),
        model: 'Modell',
        modelUnknown: 'Das Gateway hat kein Modell mit dieser ID. Wenn sie kein Alias ist, werden Anfragen abgelehnt.',
        modelHint: 'Das anfängliche Modell des Tools. Andere sind über ihre ID nutzbar.',
        name: 'Name des Schlüssels',
        limit: 'Monatliches Limit in USD',
        noLimit: 'kein Limit',
        notCreated: 'Schlüssel nicht erstellt',
        create: 'Schlüssel erstellen',
        createLimited: (limit) => `Schlüssel mit einem Limit von ${limit} $ im Monat erstellen`,
        tooLow: (reserved) =>
          `Zu niedrig für dieses Modell: Das Gateway reserviert bis zu ${reserved} je Anfrage, wenn das Tool kein max_tokens sendet.`,
        limitHint: (reserved) =>
          `Leer: kein Limit.${reserved === null ? '' : ` Eine laufende Anfrage reserviert bis zu ${reserved}.`} Mit einem Limit werden Modelle ohne bekannten Preis abgelehnt.`,
        unpricedLimited:
          'Der Preis dieses Modells ist nicht bekannt, deshalb werden seine Anfragen mit einem Limit abgelehnt.',
        unpriced: 'Kein Limit, weil der Preis dieses Modells nicht bekannt ist und Anfragen abgelehnt würden.',
      },
      first: {
        title: 'Erste Anfrage',
        waiting: (tool) => `Wartet auf die erste Anfrage von ${tool}…`,
        notAsked: (message) => `Das Gateway konnte nicht abgefragt werden: ${message}. Neuer Versuch läuft.`,
        hint: 'Eine beliebige Nachricht mit dem Tool senden. Sie erscheint hier.',
        connected: (tool) => `${tool} ist verbunden`,
        model: 'Modell',
        cost: 'Kosten',
        unknown: 'unbekannt',
        duration: 'Dauer',
        time: 'Zeit',
        view: 'Anfrage ansehen',
        fromAgent: (at, agent) => `${at}, von ${agent}`,
        cancelled: 'Das Tool hat die Anfrage abgebrochen',
        failed: 'Eine Anfrage kam an und schlug fehl',
        failedAdvice:
          'Das Tool ist richtig eingerichtet; die Anfrage schlug später fehl. Anbieter und Grund stehen in ihrem Zeitverlauf.',
      },
      refusals: {
        key: 'Eine Anfrage wurde wegen ihres Schlüssels abgelehnt',
        keyAdvice: (tool) =>
          `Falls sie von ${tool} kam: den ganzen Schlüssel noch einmal kopieren, und nichts sonst, und prüfen, ob ein anderer Schlüssel Vorrang hat, etwa aus einer Umgebungsvariable.`,
        forms: {
          translations: 'API für Übersetzungen',
          assistants: 'API für Assistenten',
          fineTuning: 'API für Feinabstimmung',
        },
        otherForm: (path, form) => `Eine Anfrage ging an ${path}, die ${form}`,
        otherFormAdvice: (tool) => `Das Gateway bedient diese Adresse nicht. ${tool} dafür einen anderen Dienst geben.`,
        noPath: (method, path) => `Eine Anfrage ging an ${method} ${path}; diese Adresse gibt es nicht`,
        noPathAdvice: (baseUrl, tool) =>
          `Die Basisadresse muss genau ${baseUrl} lauten; ${tool} ergänzt den Rest selbst.`,
        refused: 'Das Gateway hat die Anfrage abgelehnt',
        model: (model) => `Die Modell-ID des Gateways verwenden: ${model}.`,
        notAccepted: 'Das Tool hat etwas gesendet, was das Gateway nicht annimmt. Siehe die Meldung oben.',
        limit:
          'Das Limit des Schlüssels unter „Schlüssel“ erhöhen. Mit einem Limit werden Modelle ohne bekannten Preis abgelehnt.',
        forbidden: 'Eine Guardrail oder eine Einstellung des Kontos verbietet es. Guardrails und Einstellungen prüfen.',
        tooLarge: 'Weniger senden oder server.bodyLimitMb in der Konfiguration erhöhen.',
        rateLimit: 'Ein Ratenlimit ist überschritten. Einen Moment warten oder das Limit erhöhen.',
        other: 'Korrigieren, was die Meldung oben nennt, und erneut versuchen.',
      },
    },
  },
);
