export { createWebAccess, type WebAccessOptions } from './web/web-access.ts';
