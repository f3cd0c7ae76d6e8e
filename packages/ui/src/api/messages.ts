import { createMessages } from '../messages/locale.ts';

/** What is said of errors of the gateway's API, beside its own words, which are English. */
export const apiMessages = createMessages(
  {
    unreachable: 'Can’t reach the gateway',
    brokenOff: 'The response ended early',
    respondedWith: (status: number) => `The gateway responded with ${status}`,
    isInvalid: 'is invalid',
    remedies: {
      crash: 'Reload the page. If the error persists, copy the report and open an issue.',
      unreachable: 'Check that the gateway is running, then try again.',
      fields: 'Correct the fields named above and try again.',
      signIn: 'Sign in again. Your key may have been disabled or expired.',
      limit: 'Raise the key’s limit under Keys, or the budget of its guardrail.',
      otherKey: 'This needs another kind of key: management keys administer, API keys call models.',
      missing: 'It may have been deleted or never stored. Go back to the list.',
      noEndpoint: 'Change what excludes these providers, or choose another model.',
      unpriced: 'Set the model’s price under Models (0 if it is free), or use a key without a limit.',
      modelsInUse: 'Change or delete these models first.',
      changedElsewhere: 'It was changed elsewhere. Reload and try again.',
      tooLarge: 'Send less, or raise server.bodyLimitMb.',
      waitAMoment: 'Wait a moment, then try again.',
      retryAfter: (seconds: number) => `Try again in ${seconds} seconds.`,
      unavailable: 'Try again shortly. Lists and figures reload automatically. For a request, see its attempts.',
      serverError: 'Check the request’s attempts or the gateway’s log for the cause, then try again.',
      tryAgain: 'Try again.',
    },
  },
  {
    de: {
      unreachable: 'Das Gateway ist nicht erreichbar',
      brokenOff: 'Die Antwort endete vorzeitig',
      respondedWith: (status) => `Das Gateway hat mit ${status} geantwortet`,
      isInvalid: 'ist ungültig',
      remedies: {
        crash: 'Seite neu laden. Bleibt der Fehler, den Bericht kopieren und ein Issue anlegen.',
        unreachable: 'Prüfen, ob das Gateway läuft, dann erneut versuchen.',
        fields: 'Die genannten Felder korrigieren und erneut versuchen.',
        signIn: 'Erneut anmelden. Der Schlüssel wurde vielleicht deaktiviert oder ist abgelaufen.',
        limit: 'Das Limit des Schlüssels unter „Schlüssel“ oder das Budget seiner Guardrail erhöhen.',
        otherKey:
          'Dafür ist ein anderer Schlüssel nötig: Verwaltungsschlüssel zum Verwalten, API-Schlüssel zum Aufrufen von Modellen.',
        missing: 'Vielleicht gelöscht oder nie gespeichert. Zurück zur Liste gehen.',
        noEndpoint: 'Ändern, was diese Anbieter ausschließt, oder ein anderes Modell wählen.',
        unpriced:
          'Den Preis des Modells unter „Modelle“ setzen (0, wenn es kostenlos ist) oder einen Schlüssel ohne Limit verwenden.',
        modelsInUse: 'Zuerst diese Modelle ändern oder löschen.',
        changedElsewhere: 'Wurde an anderer Stelle geändert. Neu laden und erneut versuchen.',
        tooLarge: 'Weniger senden oder server.bodyLimitMb erhöhen.',
        waitAMoment: 'Einen Moment warten, dann erneut versuchen.',
        retryAfter: (seconds) => `In ${seconds} Sekunden erneut versuchen.`,
        unavailable:
          'In Kürze erneut versuchen. Listen und Zahlen werden automatisch neu geladen; bei einer Anfrage die Versuche ansehen.',
        serverError:
          'Die Ursache in den Versuchen der Anfrage oder im Protokoll des Gateways suchen, dann erneut versuchen.',
        tryAgain: 'Erneut versuchen.',
      },
    },
  },
);
