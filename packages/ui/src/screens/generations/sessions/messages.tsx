import type { ReactNode } from 'react';

import { createMessages, plural } from '../../../messages/locale.ts';

export const sessionsMessages = createMessages(
  {
    kind: { label: 'Requests or sessions', requests: 'Requests', sessions: 'Sessions' },
    list: {
      title: 'Sessions',
      what: 'sessions',
      loading: 'Loading…',
      count: (count: number, text: string) => plural.en(count, { one: `${text} session`, other: `${text} sessions` }),
      noTextSearch: (text: string) => `Text search is not available for sessions: “${text}” is ignored here.`,
      removeText: 'Remove',
      moreNotLoaded: 'Couldn’t load more sessions',
      noMatch: 'No sessions match these filters',
      clear: 'Clear filters',
      none: 'No sessions yet',
      noneNote: (field: ReactNode, header: ReactNode): ReactNode => (
        <>
          Requests belong to a session when the client sends the same {field} with each, in the body or as the header{' '}
          {header}. Many tools do.
        </>
      ),
    },
    columns: {
      time: 'Latest request',
      prompt: 'First prompt',
      notStored: 'Not stored',
      session: 'Session',
      requests: 'Requests',
      matching: (count: string) => `${count} of them match the filters`,
      of: (some: string, all: string) => `${some} of ${all}`,
      span: 'Span',
      models: 'Models',
      key: 'Key',
      errors: 'Errors',
      cost: 'Cost',
      costUnknown: 'Some requests have no known price',
    },
    page: {
      session: (id: string) => `Session ${id}`,
      copiedId: 'Session ID copied',
      listRequests: 'List its requests',
      what: 'the requests',
      notLoaded: 'The requests could not be loaded',
      notFound: 'Session not found',
      notFoundNote: 'Its requests may have been deleted by retention, or the ID is wrong.',
      later: 'Show later requests',
      figures: 'Session figures',
      requests: 'Requests',
      failed: (all: string, failed: string) => `${all}, ${failed} failed`,
      cost: 'Cost',
      time: 'Time',
      fromTo: (from: ReactNode, to: ReactNode, span: string): ReactNode => (
        <>
          {from} to {to}, {span}
        </>
      ),
      models: 'Models',
      keys: 'Keys',
    },
    timeline: {
      title: 'Timeline',
      chart: 'Timeline of the session',
      parts: 'Parts of the session',
      part: (at: number, all: number) => `Part ${at} of ${all}`,
      earlier: 'Earlier part',
      later: 'Later part',
      loadTools: 'Show tool calls',
      agent: (name: string) => `Agent ${name}`,
      agentRequests: (count: number) => plural.en(count, { one: `${count} request.`, other: `${count} requests.` }),
      waiting: 'Waiting for the first token',
      response: 'Response',
      tool: 'Tool call',
      noResult: 'no result',
      toolCalls: 'tool calls',
      tools: 'Tools',
      toolName: 'Name',
      calls: 'Calls',
      inAll: 'In total',
      longest: 'Longest',
      withoutResult: 'No result',
      tokens: (input: string, output: string) => `${input} tokens in, ${output} out.`,
      context: 'Context (prompt tokens)',
      cost: 'Total cost',
      grew: (first: string, last: string, most: string) =>
        most === last ? `${first} → ${last}` : `${first} → ${last}, at most ${most}`,
    },
    thread: {
      request: (place: number) => `Request ${place}`,
      noProvider: 'no provider',
      tokens: 'Tokens in and out',
      open: 'Open',
      openWhich: (place: number) => ` request ${place}`,
      what: 'the request',
      notStored: 'Prompt and response are not stored, or no longer. All other data of the request is complete.',
      tooLarge: (size: string) => `Prompt and response are ${size}, too large to show here.`,
      known: (count: number, text: string) =>
        plural.en(count, { one: `${text} message as before`, other: `${text} messages as before` }),
      early: (count: number, text: string) =>
        plural.en(count, { one: `${text} more message`, other: `${text} more messages` }),
      all: 'all messages',
    },
  },
  {
    de: {
      kind: { label: 'Anfragen oder Sitzungen', requests: 'Anfragen', sessions: 'Sitzungen' },
      list: {
        title: 'Sitzungen',
        what: 'Sitzungen',
        loading: 'Wird geladen…',
        count: (count, text) => plural.de(count, { one: `${text} Sitzung`, other: `${text} Sitzungen` }),
        noTextSearch: (text) => `Bei Sitzungen gibt es keine Textsuche: „${text}“ bleibt hier unberücksichtigt.`,
        removeText: 'Entfernen',
        moreNotLoaded: 'Weitere Sitzungen konnten nicht geladen werden',
        noMatch: 'Keine Sitzung passt zu diesen Filtern',
        clear: 'Filter zurücksetzen',
        none: 'Noch keine Sitzungen',
        noneNote: (field, header) => (
          <>
            Anfragen gehören zu einer Sitzung, wenn der Client mit jeder dieselbe {field} sendet, im Body oder als
            Header {header}. Viele Tools tun das.
          </>
        ),
      },
      columns: {
        time: 'Letzte Anfrage',
        prompt: 'Erster Prompt',
        notStored: 'Nicht gespeichert',
        session: 'Sitzung',
        requests: 'Anfragen',
        matching: (count) => `${count} davon passen zu den Filtern`,
        of: (some, all) => `${some} von ${all}`,
        span: 'Dauer',
        models: 'Modelle',
        key: 'Schlüssel',
        errors: 'Fehler',
        cost: 'Kosten',
        costUnknown: 'Für einige Anfragen ist kein Preis bekannt',
      },
      page: {
        session: (id) => `Sitzung ${id}`,
        copiedId: 'Sitzungs-ID kopiert',
        listRequests: 'Anfragen auflisten',
        what: 'Anfragen',
        notLoaded: 'Die Anfragen konnten nicht geladen werden',
        notFound: 'Sitzung nicht gefunden',
        notFoundNote: 'Ihre Anfragen wurden vielleicht nach Ablauf der Aufbewahrung gelöscht, oder die ID ist falsch.',
        later: 'Spätere Anfragen anzeigen',
        figures: 'Zahlen der Sitzung',
        requests: 'Anfragen',
        failed: (all, failed) => `${all}, davon ${failed} fehlgeschlagen`,
        cost: 'Kosten',
        time: 'Zeit',
        fromTo: (from, to, span) => (
          <>
            {from} bis {to}, {span}
          </>
        ),
        models: 'Modelle',
        keys: 'Schlüssel',
      },
      timeline: {
        title: 'Zeitachse',
        chart: 'Zeitachse der Sitzung',
        parts: 'Abschnitte der Sitzung',
        part: (at, all) => `Abschnitt ${at} von ${all}`,
        earlier: 'Früherer Abschnitt',
        later: 'Späterer Abschnitt',
        loadTools: 'Tool-Aufrufe anzeigen',
        agent: (name) => `Agent ${name}`,
        agentRequests: (count) => plural.de(count, { one: `${count} Anfrage.`, other: `${count} Anfragen.` }),
        waiting: 'Warten auf das erste Token',
        response: 'Antwort',
        tool: 'Tool-Aufruf',
        noResult: 'kein Ergebnis',
        toolCalls: 'Tool-Aufrufe',
        tools: 'Tools',
        toolName: 'Name',
        calls: 'Aufrufe',
        inAll: 'Insgesamt',
        longest: 'Längster',
        withoutResult: 'Kein Ergebnis',
        tokens: (input, output) => `${input} Token Eingabe, ${output} Ausgabe.`,
        context: 'Kontext (Prompt-Token)',
        cost: 'Kosten insgesamt',
        grew: (first, last, most) => (most === last ? `${first} → ${last}` : `${first} → ${last}, höchstens ${most}`),
      },
      thread: {
        request: (place) => `Anfrage ${place}`,
        noProvider: 'kein Anbieter',
        tokens: 'Token Eingabe und Ausgabe',
        open: 'Öffnen',
        openWhich: (place) => `: Anfrage ${place}`,
        what: 'Anfrage',
        notStored: 'Prompt und Antwort sind nicht (mehr) gespeichert. Alle anderen Daten der Anfrage sind vollständig.',
        tooLarge: (size) => `Prompt und Antwort haben ${size}, zu viel, um sie hier anzuzeigen.`,
        known: (count, text) =>
          plural.de(count, { one: `${text} Nachricht wie zuvor`, other: `${text} Nachrichten wie zuvor` }),
        early: (count, text) =>
          plural.de(count, { one: `${text} weitere Nachricht`, other: `${text} weitere Nachrichten` }),
        all: 'Alle Nachrichten',
      },
    },
  },
);
