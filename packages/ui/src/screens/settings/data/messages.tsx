import type { ReactNode } from 'react';

import { createMessages, plural } from '../../../messages/locale.ts';

export const dataMessages = createMessages(
  {
    retention: 'Retention',
    what: 'the retention',
    notLoaded: 'Couldn’t load the retention',
    about: 'Older requests are deleted by the day. Their cost still counts in limits and budgets.',
    days: 'Keep requests for days',
    contentDays: 'Keep prompts and responses for days',
    auditDays: 'Keep the audit log for days',
    auditLoss: 'Older records of the audit log are deleted too.',
    contentHint: 'Leave empty to keep them as long as their requests',
    configured: (days: string) => `Leave empty to use the ${days} days of the configuration`,
    forever: 'The store of this gateway deletes nothing because of its age.',
    held: 'Nothing is deleted at the moment, because the clock of this machine has leapt ahead.',
    counting: 'Counting what would be deleted…',
    nothing: 'This deletes nothing now.',
    deletes: (what: string) => `This deletes ${what} now.`,
    both: (requests: string, contents: string) => `${requests} and ${contents}`,
    requests: (count: number, text: string) => plural.en(count, { one: `${text} request`, other: `${text} requests` }),
    contents: (count: number, text: string, size: string) =>
      plural.en(count, {
        one: `the prompt and response of ${text} request (${size})`,
        other: `the prompts and responses of ${text} requests (${size})`,
      }),
    saved: 'Retention saved',
    confirm: { title: 'Delete older data?', action: 'Save and delete', final: 'This can’t be undone.' },
    storage: {
      title: 'What is stored',
      text: (option: (name: string) => ReactNode) => (
        <>
          Set in the config file; restart to apply: {option('logging.inputOutput')} whether prompts and responses are
          stored, {option('logging.maxGenerations')} how many requests, {option('logging.maxContentMb')} up to which
          size. You can delete individual prompts and responses under Generations.
        </>
      ),
    },
  },
  {
    de: {
      retention: 'Aufbewahrung',
      what: 'Aufbewahrung',
      notLoaded: 'Die Aufbewahrung konnte nicht geladen werden',
      about: 'Ältere Anfragen werden tageweise gelöscht. Ihre Kosten zählen in Limits und Budgets weiter.',
      days: 'Anfragen behalten (Tage)',
      contentDays: 'Prompts und Antworten behalten (Tage)',
      auditDays: 'Audit-Log behalten (Tage)',
      auditLoss: 'Ältere Einträge des Audit-Logs werden ebenfalls gelöscht.',
      contentHint: 'Leer: so lange wie ihre Anfragen',
      configured: (days) => `Leer: die ${days} Tage der Konfiguration`,
      forever: 'Der Speicher dieses Gateways löscht nichts wegen seines Alters.',
      held: 'Zurzeit wird nichts gelöscht, weil die Uhr dieses Rechners vorgesprungen ist.',
      counting: 'Es wird gezählt, was gelöscht würde…',
      nothing: 'Das löscht jetzt nichts.',
      deletes: (what) => `Das löscht jetzt ${what}.`,
      both: (requests, contents) => `${requests} und ${contents}`,
      requests: (count, text) => plural.de(count, { one: `${text} Anfrage`, other: `${text} Anfragen` }),
      contents: (count, text, size) =>
        plural.de(count, {
          one: `Prompt und Antwort von ${text} Anfrage (${size})`,
          other: `Prompts und Antworten von ${text} Anfragen (${size})`,
        }),
      saved: 'Aufbewahrung gespeichert',
      confirm: {
        title: 'Ältere Daten löschen?',
        action: 'Speichern und löschen',
        final: 'Das lässt sich nicht rückgängig machen.',
      },
      storage: {
        title: 'Was gespeichert wird',
        text: (option) => (
          <>
            Wird in der Konfigurationsdatei festgelegt und gilt nach einem Neustart: {option('logging.inputOutput')}, ob
            Prompts und Antworten gespeichert werden, {option('logging.maxGenerations')}, wie viele Anfragen,{' '}
            {option('logging.maxContentMb')}, bis zu welcher Größe. Einzelne Prompts und Antworten lassen sich unter
            Generierungen löschen.
          </>
        ),
      },
    },
  },
);
