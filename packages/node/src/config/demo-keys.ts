/** The key of demo mode. Public, so nothing else accepts it. */
export const DEMO_KEY = 'sk-gw-v1-demo';
/** The management key of demo mode. Public, so nothing else accepts it. */
export const DEMO_MANAGEMENT_KEY = 'sk-gw-v1-demo-management';
