import { createMessages } from '../../messages/locale.ts';

/** What the month will have cost. */
export const forecastMessages = createMessages(
  {
    title: 'Forecast',
    what: 'the forecast',
    expected: (usd: string) => `${usd} expected by the end of the month`,
    range: (low: string, high: string) => `Likely between ${low} and ${high}`,
    spent: 'Spent so far',
    unknown: 'A forecast needs three days of spending.',
    chart: (spent: string, expected: string, low: string, high: string) =>
      `Spend of the month by day: ${spent} so far, ${expected} expected, between ${low} and ${high}`,
  },
  {
    de: {
      title: 'Prognose',
      what: 'die Prognose',
      expected: (usd) => `${usd} bis Monatsende erwartet`,
      range: (low, high) => `Wahrscheinlich zwischen ${low} und ${high}`,
      spent: 'Bisher ausgegeben',
      unknown: 'Eine Prognose braucht drei Tage mit Ausgaben.',
      chart: (spent, expected, low, high) =>
        `Ausgaben des Monats nach Tagen: bisher ${spent}, erwartet ${expected}, zwischen ${low} und ${high}`,
    },
  },
);
