import type { ReactNode } from 'react';

import { createMessages } from '../../messages/locale.ts';

export const connectScreenMessages = createMessages(
  {
    title: 'Connect a tool',
    note: (keys: (text: string) => ReactNode) => <>Each tool gets its own key. {keys('See all keys')}</>,
  },
  {
    de: {
      title: 'Tool verbinden',
      note: (keys) => <>Jedes Tool erhält einen eigenen Schlüssel. {keys('Alle Schlüssel ansehen')}</>,
    },
  },
);
