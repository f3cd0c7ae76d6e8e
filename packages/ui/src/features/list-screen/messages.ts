import { createMessages } from '../../messages/locale.ts';

export const listMessages = createMessages(
  { notLoaded: (what: string) => `The ${what} could not be loaded`, thisScreen: 'This screen' },
  { de: { notLoaded: (what) => `${what} konnten nicht geladen werden`, thisScreen: 'Dieser Bildschirm' } },
);
