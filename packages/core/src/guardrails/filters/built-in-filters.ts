import type { BUILTIN_FILTER_SLUGS } from '../../wire/guardrails.ts';
import { creditCardFilter } from './credit-card-filter.ts';
import { emailFilter } from './email-filter.ts';
import type { Filter } from './filter.ts';
import { ibanFilter } from './iban-filter.ts';
import { ipAddressFilter } from './ip-address-filter.ts';
import { phoneFilter } from './phone-filter.ts';
import { promptInjectionFilter } from './prompt-injection-filter.ts';
import { secretsFilter } from './secrets-filter.ts';
import { ssnFilter } from './ssn-filter.ts';

/** The filters that come with the gateway, by the slug that guardrails name them by. */
export const BUILT_IN_FILTERS: Readonly<Record<(typeof BUILTIN_FILTER_SLUGS)[number], Filter>> = {
  email: emailFilter,
  phone: phoneFilter,
  ssn: ssnFilter,
  'credit-card': creditCardFilter,
  'ip-address': ipAddressFilter,
  iban: ibanFilter,
  secrets: secretsFilter,
  'regex-prompt-injection': promptInjectionFilter,
};
