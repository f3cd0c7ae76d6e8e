import type { Member } from '@model-gateway/core/wire';

/** What people call a member: their name, else their address, else the id. */
export const toMemberName = ({ id, first_name: first, last_name: last, email }: Member): string =>
  [first, last].filter(Boolean).join(' ') || email || id;
