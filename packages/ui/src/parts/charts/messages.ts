import { createMessages } from '../../messages/locale.ts';

/** Texts of charts. */
export const chartsMessages = createMessages(
  {
    to: (from: string, to: string): string => `${from} to ${to}`,
    selected: (time: string): string => `${time} selected`,
    nothing: 'nothing',
    total: 'Total',
    inAll: (value: string): string => `${value} total`,
    more: (count: number): string => `${count} more`,
    mouse: 'Click to list, Shift-drag to zoom',
    keys: 'Left and right arrow keys read values; hold Shift to select a range. Enter lists the requests, Shift+Enter zooms.',
  },
  {
    de: {
      to: (from, to) => `${from} bis ${to}`,
      selected: (time) => `${time} ausgewählt`,
      nothing: 'nichts',
      total: 'Summe',
      inAll: (value) => `${value} insgesamt`,
      more: (count) => `${count} weitere`,
      mouse: 'Klicken zum Auflisten, mit Umschalt ziehen zum Vergrößern',
      keys: 'Pfeiltasten links und rechts lesen Werte; mit Umschalt wird ein Bereich ausgewählt. Enter listet die Anfragen auf, Umschalt+Enter vergrößert.',
    },
  },
);
