import type { SignInProblem } from '@model-gateway/core/wire';

import { createMessages } from '../../messages/locale.ts';

/** Texts of the sign-in page. */
export const signInMessages = createMessages(
  {
    key: 'Management key',
    hint: 'Signs you in for 12 hours. We don’t store the key. Or open the link printed when the gateway starts.',
    failed: 'Not signed in',
    invalid: 'That key isn’t valid, or has been disabled or expired.',
    notManagement: 'That’s an API key. Sign in with a management key.',
    submit: 'Sign in',
    demo: 'Use the demo key',
    linkFailed: 'The link could not sign you in',
    linkOver: 'This link has expired or was already used',
    linkOverAdvice:
      'It works once, within ten minutes after the gateway starts. Restart the gateway for a new link, or sign in with a management key. You can create one in a terminal:',
    ended: 'Your session has ended',
    endedAdvice:
      'Sessions last 12 hours and end when the gateway restarts or the key is disabled. Sign in to continue where you were.',
    storeAway: 'The gateway’s database is unavailable, so you can’t sign in right now.',
    storeNotReady:
      'The gateway has not reached its database yet, or is waiting for a migration. You can’t sign in yet.',
    resumes: 'An existing session continues automatically.',
    continueWith: (provider: string) => `Continue with ${provider}`,
    continueAs: (user: string) => `Continue as ${user}`,
    or: 'or with a key',
    problems: {
      expired:
        'The sign-in took longer than ten minutes, was started in another browser, or is already finished. Start again.',
      denied: 'The sign-in was cancelled or denied there.',
      away: 'The sign-in provider can’t be reached. Try again later, or sign in with a management key.',
      invalid: 'The provider’s response could not be verified. The gateway’s log says why.',
      too_many: 'Too many failed sign-ins. Wait a minute and try again.',
      inactive: 'Your membership is deactivated. Ask an administrator.',
      domain: 'Your email address may not sign in here. Ask an administrator.',
      groups: 'None of your groups may sign in here. Ask an administrator.',
      directory: 'You are not a member yet. Members are managed in the host application.',
      invalid_user: 'The provider did not say who you are. The gateway’s log says what is missing.',
    } satisfies Record<SignInProblem, string>,
  },
  {
    de: {
      key: 'Verwaltungsschlüssel',
      hint: 'Gilt für 12 Stunden. Der Schlüssel wird nicht gespeichert. Oder den Link öffnen, den das Gateway beim Start ausgibt.',
      failed: 'Nicht angemeldet',
      invalid: 'Der Schlüssel ist ungültig, deaktiviert oder abgelaufen.',
      notManagement: 'Das ist ein API-Schlüssel. Zum Anmelden ist ein Verwaltungsschlüssel nötig.',
      submit: 'Anmelden',
      demo: 'Demo-Schlüssel verwenden',
      linkFailed: 'Die Anmeldung über den Link ist fehlgeschlagen',
      linkOver: 'Dieser Link ist abgelaufen oder wurde schon benutzt',
      linkOverAdvice:
        'Er gilt einmal, innerhalb von zehn Minuten nach dem Start des Gateways. Für einen neuen Link das Gateway neu starten, oder mit einem Verwaltungsschlüssel anmelden. Er lässt sich im Terminal erstellen:',
      ended: 'Die Sitzung ist beendet',
      endedAdvice:
        'Sitzungen dauern 12 Stunden und enden, wenn das Gateway neu startet oder der Schlüssel deaktiviert wird. Nach der Anmeldung geht es an derselben Stelle weiter.',
      storeAway: 'Die Datenbank des Gateways ist nicht erreichbar. Die Anmeldung ist gerade nicht möglich.',
      storeNotReady:
        'Das Gateway hat seine Datenbank noch nicht erreicht oder wartet auf eine Migration. Die Anmeldung ist noch nicht möglich.',
      resumes: 'Eine bestehende Sitzung geht automatisch weiter.',
      continueWith: (provider) => `Weiter mit ${provider}`,
      continueAs: (user) => `Weiter als ${user}`,
      or: 'oder mit einem Schlüssel',
      problems: {
        expired:
          'Die Anmeldung dauerte länger als zehn Minuten, begann in einem anderen Browser oder ist schon beendet. Neu beginnen.',
        denied: 'Die Anmeldung wurde dort abgebrochen oder verweigert.',
        away: 'Der Anmeldedienst ist nicht erreichbar. Später noch einmal versuchen oder mit einem Verwaltungsschlüssel anmelden.',
        invalid: 'Die Antwort des Anmeldedienstes ließ sich nicht prüfen. Das Protokoll des Gateways nennt den Grund.',
        too_many: 'Zu viele fehlgeschlagene Anmeldungen. Eine Minute warten und noch einmal versuchen.',
        inactive: 'Die Mitgliedschaft ist deaktiviert. Bitte an die Administration wenden.',
        domain: 'Mit dieser E-Mail-Adresse ist keine Anmeldung möglich. Bitte an die Administration wenden.',
        groups: 'Keine der Gruppen ist hier zur Anmeldung berechtigt. Bitte an die Administration wenden.',
        directory: 'Noch kein Mitglied. Mitglieder verwaltet die Anwendung um das Gateway.',
        invalid_user:
          'Der Anmeldedienst hat nicht gesagt, wer sich anmeldet. Das Protokoll des Gateways nennt, was fehlt.',
      },
    },
  },
);
