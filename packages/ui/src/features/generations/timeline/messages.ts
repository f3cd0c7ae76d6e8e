import { createMessages, plural } from '../../../messages/locale.ts';

export const deliveryMessages = createMessages(
  {
    to: (name: string) => `To ${name}`,
    aDestination: 'a destination',
    arrived: 'Delivered',
    delivered: 'delivered',
    notDelivered: 'not delivered',
    sent: (at: string) => `Sent ${at}.`,
    sentWith: (at: string, result: string) => `Sent ${at}: ${result}.`,
    notAttempted: 'Not attempted yet',
    next: (at: string) => `Next attempt ${at}.`,
    tries: (count: number, result: string | null) =>
      `${plural.en(count, { one: `${count} attempt`, other: `${count} attempts` })}: ${result ?? 'not attempted yet'}.`,
  },
  {
    de: {
      to: (name) => `An ${name}`,
      aDestination: 'ein Ziel',
      arrived: 'Zugestellt',
      delivered: 'zugestellt',
      notDelivered: 'nicht zugestellt',
      sent: (at) => `Gesendet ${at}.`,
      sentWith: (at, result) => `Gesendet ${at}: ${result}.`,
      notAttempted: 'Noch nicht versucht',
      next: (at) => `Nächster Versuch ${at}.`,
      tries: (count, result) =>
        `${plural.de(count, { one: `${count} Versuch`, other: `${count} Versuche` })}: ${result ?? 'noch nicht versucht'}.`,
    },
  },
);
