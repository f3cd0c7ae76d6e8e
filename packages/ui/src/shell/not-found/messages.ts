import { createMessages } from '../../messages/locale.ts';

/** The page in place of one that does not exist. */
export const notFoundMessages = createMessages(
  {
    address: 'There is nothing at',
    meant: 'Did you mean',
    advice: 'Choose a page from the menu, or press Ctrl K.',
    toOverview: 'Go to the overview',
  },
  {
    de: {
      address: 'Es gibt nichts unter',
      meant: 'Gemeint war vielleicht',
      advice: 'Eine Seite im Menü wählen oder Strg K drücken.',
      toOverview: 'Zur Übersicht',
    },
  },
);
