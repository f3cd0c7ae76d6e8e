import { createMessages } from '../../../messages/locale.ts';

export const contentMessages = createMessages(
  {
    brokeOff: 'The response broke off before its end',
    readerFailed: (reason: string) => `The content reader failed: ${reason}`,
    readerNotStarted: 'it could not be started',
  },
  {
    de: {
      brokeOff: 'Die Antwort brach vor ihrem Ende ab',
      readerFailed: (reason) => `Der Inhalt konnte nicht gelesen werden: ${reason}`,
      readerNotStarted: 'das Lesen ließ sich nicht starten',
    },
  },
);
