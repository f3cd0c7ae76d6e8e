/** Fixed and public: the gateway takes them in demo mode only, where nothing costs anything. */
export const DEMO_MANAGEMENT_KEY = 'sk-gw-v1-demo-management';
export const DEMO_API_KEY = 'sk-gw-v1-demo';
