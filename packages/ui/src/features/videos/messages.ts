import { createMessages, plural } from '../../messages/locale.ts';

/** Words for the status of a job; others that a provider may say stay as they are. */
const STATUSES_DE: Readonly<Record<string, string>> = {
  pending: 'wartet',
  in_progress: 'läuft',
  completed: 'fertig',
  failed: 'fehlgeschlagen',
  cancelled: 'abgebrochen',
  expired: 'abgelaufen',
};

/** Texts about a video job that more than one screen shows. */
export const videoMessages = createMessages(
  {
    status: (status: string): string => status.replaceAll('_', ' '),
    times: {
      what: 'the times',
      notLoaded: 'Couldn’t load the times',
      none: 'No timings were recorded for this job.',
      label: 'Timeline of the job',
    },
    timeline: {
      checks: 'Checks',
      checksDetail: (guardrailsMs: number, routingMs: number, limitsMs: number) =>
        `Guardrails ${guardrailsMs} ms, routing ${routingMs} ms, rate limits and budgets ${limitsMs} ms.`,
      submission: 'Submission',
      accepted: 'accepted',
      submitting: 'submitting',
      noResponse: 'no response',
      acceptedDetail: 'The provider accepted the job.',
      submittedDetail: 'The job was submitted to the provider.',
      withKey: (name: string) => `With the key ${name}.`,
      status: 'Status',
      statusDetail: 'From polls: pale while pending, solid while in progress.',
      polls: 'Polls',
      pollCount: (count: string, failed: string | null) => (failed === null ? count : `${count}, ${failed} failed`),
      poll: (status: string | null): string => (status === null ? 'Poll' : `Poll: ${status}`),
      pollFailed: 'Failed poll',
      hidden: (count: number, written: string) =>
        plural.en(count, {
          one: '1 poll in the middle isn’t listed.',
          other: `${written} polls in the middle aren’t listed.`,
        }),
      webhook: 'Webhook',
      delivered: 'delivered',
      notDelivered: 'not delivered',
      lastResult: (result: string) => `Last result: ${result}.`,
    },
  },
  {
    de: {
      status: (status) => STATUSES_DE[status] ?? status.replaceAll('_', ' '),
      times: {
        what: 'Zeiten',
        notLoaded: 'Zeiten konnten nicht geladen werden',
        none: 'Für diesen Auftrag wurden keine Zeiten aufgezeichnet.',
        label: 'Zeitachse des Auftrags',
      },
      timeline: {
        checks: 'Prüfungen',
        checksDetail: (guardrailsMs, routingMs, limitsMs) =>
          `Guardrails ${guardrailsMs} ms, Routing ${routingMs} ms, Ratenlimits und Budgets ${limitsMs} ms.`,
        submission: 'Einreichung',
        accepted: 'angenommen',
        submitting: 'wird eingereicht',
        noResponse: 'keine Antwort',
        acceptedDetail: 'Der Anbieter hat den Auftrag angenommen.',
        submittedDetail: 'Der Auftrag wurde beim Anbieter eingereicht.',
        withKey: (name) => `Mit dem Schlüssel ${name}.`,
        status: 'Status',
        statusDetail: 'Aus Abfragen: blass, solange er wartet, kräftig, solange er läuft.',
        polls: 'Abfragen',
        pollCount: (count, failed) => (failed === null ? count : `${count}, ${failed} fehlgeschlagen`),
        poll: (status) => (status === null ? 'Abfrage' : `Abfrage: ${status}`),
        pollFailed: 'Fehlgeschlagene Abfrage',
        hidden: (count, written) =>
          plural.de(count, {
            one: '1 Abfrage in der Mitte ist nicht aufgeführt.',
            other: `${written} Abfragen in der Mitte sind nicht aufgeführt.`,
          }),
        webhook: 'Webhook',
        delivered: 'zugestellt',
        notDelivered: 'nicht zugestellt',
        lastResult: (result) => `Letztes Ergebnis: ${result}.`,
      },
    },
  },
);
