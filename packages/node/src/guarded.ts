export { createGuardedTransport, type GuardedTransportOptions } from './guarded/guarded-transport.ts';
export { findUrlProblem, type UrlRules } from './guarded/public-addresses.ts';
