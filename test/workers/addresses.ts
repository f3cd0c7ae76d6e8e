export const API_KEY = 'sk-gw-v1-test';
export const MANAGEMENT_KEY = 'sk-gw-v1-test-management';
/** Whatever the worker fetches reaches the server of the test. */
export const UPSTREAM = 'http://upstream.example';
export const HOOK_URL = `${UPSTREAM}/hook`;
