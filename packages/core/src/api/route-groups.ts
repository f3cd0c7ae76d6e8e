/** What most rows of the table of routes have in common: the public API under each kind of key, and the admin API. */
export const ANY_KEY = { surface: 'api', auth: 'any' } as const;
export const MANAGEMENT = { surface: 'api', auth: 'management' } as const;
export const ADMIN = { surface: 'admin', auth: 'management' } as const;
