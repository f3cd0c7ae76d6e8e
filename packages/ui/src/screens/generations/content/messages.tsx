import type { ReactNode } from 'react';

import { createMessages } from '../../../messages/locale.ts';

export const contentMessages = createMessages(
  {
    what: 'prompt and response',
    tooLarge: (size: string) => `Prompt and response are ${size}`,
    tooLargeNote: 'Too large to show here. Save as JSON to open it in another program.',
    notStored: 'Prompt and response are not stored',
    interrupted: 'The gateway stopped during this request, before storing them. Tokens and cost are estimates.',
    whyNotStored: (setting: ReactNode): ReactNode => (
      <>
        They are stored if {setting} is on, up to a size limit, until retention or a user deletes them. All other data
        of this request is complete.
      </>
    ),
    whatIsStored: 'What is stored',
    save: 'Save as file',
    notSaved: 'Prompt and response could not be saved',
  },
  {
    de: {
      what: 'Prompt und Antwort',
      tooLarge: (size) => `Prompt und Antwort haben ${size}`,
      tooLargeNote: 'Zu groß, um sie hier anzuzeigen. Als JSON speichern und in einem anderen Programm öffnen.',
      notStored: 'Prompt und Antwort sind nicht gespeichert',
      interrupted:
        'Das Gateway wurde während dieser Anfrage beendet, bevor es sie speichern konnte. Token und Kosten sind geschätzt.',
      whyNotStored: (setting) => (
        <>
          Sie werden gespeichert, wenn {setting} eingeschaltet ist: bis zu einer bestimmten Größe und bis sie gelöscht
          werden oder ihre Aufbewahrungsfrist endet. Alle anderen Daten dieser Anfrage sind vollständig.
        </>
      ),
      whatIsStored: 'Was gespeichert wird',
      save: 'Als Datei speichern',
      notSaved: 'Prompt und Antwort konnten nicht gespeichert werden',
    },
  },
);
