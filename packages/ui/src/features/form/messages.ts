import { createMessages } from '../../messages/locale.ts';

export const formMessages = createMessages(
  {
    /** When a limit begins again, as a choice. */
    resets: { never: 'Never', daily: 'Daily', weekly: 'Weekly', monthly: 'Monthly' },
    /** The same behind an amount: `$5.00 daily`. */
    periods: { total: 'total', daily: 'daily', weekly: 'weekly', monthly: 'monthly' },
  },
  {
    de: {
      resets: { never: 'Nie', daily: 'Täglich', weekly: 'Wöchentlich', monthly: 'Monatlich' },
      periods: { total: 'insgesamt', daily: 'täglich', weekly: 'wöchentlich', monthly: 'monatlich' },
    },
  },
);
