import { createPatternFilter } from './create-pattern-filter.ts';

/** Addresses of mail: a local part, an at sign, and a domain with a top level of letters. `icon@2x.png` is none. */
export const emailFilter = createPatternFilter({
  label: 'Email',
  placeholder: '[EMAIL]',
  trigger: '[a-z0-9_%+-]@[a-z0-9]',
  beginning: "[a-z0-9](?:[a-z0-9._%+'-]{0,63})@[a-z0-9]",
  pattern:
    /(?<![a-z0-9._%+'-])[a-z0-9](?:[a-z0-9._%+'-]{0,62}[a-z0-9_%+-])?@(?!\dx\.)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,58})(?![a-z0-9@]|-[a-z0-9])/,
});
