import { createMessages } from '../messages/locale.ts';

/** Why other programs do not reach the desktop app's gateway, and the ways out. */
export const portMessages = createMessages(
  {
    advice: {
      taken: 'Quit that program and try again, or let the gateway use another port.',
      denied: 'This port is reserved by the system. Choose another one.',
      other: 'Try again, or choose another port.',
    },
    paused: 'The gateway is paused',
    pausedNote: 'Clients can’t reach it. This window still works.',
    resume: 'Resume',
    failed: 'The gateway could not start',
    failedNote: 'See the log for the reason.',
    openLogs: 'Open the logs',
    notReached: (port: number) => `Other programs can’t reach the gateway at port ${port}`,
    windowWorks: 'This window still works.',
    usePort: (port: number | null) => `Use ${port ?? 'another port'} this time`,
    change: 'Change port',
    port: 'Port',
    savePort: 'Save port',
    saved: 'Saved',
  },
  {
    de: {
      advice: {
        taken: 'Das andere Programm beenden und erneut versuchen, oder einen anderen Port verwenden.',
        denied: 'Diesen Port hat das System reserviert. Einen anderen wählen.',
        other: 'Erneut versuchen oder einen anderen Port wählen.',
      },
      paused: 'Das Gateway ist angehalten',
      pausedNote: 'Clients erreichen es nicht. Dieses Fenster funktioniert weiter.',
      resume: 'Fortsetzen',
      failed: 'Das Gateway konnte nicht starten',
      failedNote: 'Der Grund steht im Protokoll.',
      openLogs: 'Protokolle öffnen',
      notReached: (port) => `Andere Programme erreichen das Gateway an Port ${port} nicht`,
      windowWorks: 'Dieses Fenster funktioniert weiter.',
      usePort: (port) => (port === null ? 'Diesmal einen anderen Port verwenden' : `Diesmal ${port} verwenden`),
      change: 'Port ändern',
      port: 'Port',
      savePort: 'Port speichern',
      saved: 'Gespeichert',
    },
  },
);
