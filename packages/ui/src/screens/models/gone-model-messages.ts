import { createMessages } from '../../messages/locale.ts';

/** The page of a model that nobody serves. */
export const goneModelMessages = createMessages(
  {
    what: 'its past requests',
    notFound: 'Model not found',
    why: 'No provider serves it now. Its provider may have been removed or disabled, or may no longer offer it.',
    known: 'What its requests tell',
    nothing: 'No request to it is stored.',
    last: 'Last request',
    requests: 'Requests',
    failed: (all: string, failed: string) => `${all}, ${failed} failed`,
    spent: 'Spent',
    providers: 'Served by',
    next: 'What to do next',
    advice: 'Enable or add a provider that serves it, or change the requests to another model. Until then they fail.',
    like: 'Models like it',
    prices: 'Price per million tokens, input and output',
    noneLike: 'No model here is like it.',
    toProviders: 'Providers',
    toModels: 'All models',
    toRequests: 'View its requests',
  },
  {
    de: {
      what: 'Frühere Anfragen',
      notFound: 'Modell nicht gefunden',
      why: 'Kein Anbieter hat es zurzeit. Sein Anbieter wurde vielleicht entfernt oder deaktiviert, oder er bietet es nicht mehr an.',
      known: 'Was seine Anfragen zeigen',
      nothing: 'Keine Anfrage an dieses Modell ist gespeichert.',
      last: 'Letzte Anfrage',
      requests: 'Anfragen',
      failed: (all, failed) => `${all}, davon ${failed} fehlgeschlagen`,
      spent: 'Ausgegeben',
      providers: 'Anbieter',
      next: 'Was zu tun ist',
      advice:
        'Einen Anbieter aktivieren oder hinzufügen, der es hat, oder die Anfragen auf ein anderes Modell umstellen. Bis dahin schlagen sie fehl.',
      like: 'Ähnliche Modelle',
      prices: 'Preis pro Million Token, Eingabe und Ausgabe',
      noneLike: 'Kein Modell hier ist ihm ähnlich.',
      toProviders: 'Anbieter',
      toModels: 'Alle Modelle',
      toRequests: 'Anfragen anzeigen',
    },
  },
);
