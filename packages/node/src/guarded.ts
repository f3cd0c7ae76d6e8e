export { createGuardedTransport, type GuardedTransportOptions } from './guarded/guarded-transport.ts';
export { objectToUrl, type UrlRules } from './guarded/public-addresses.ts';
