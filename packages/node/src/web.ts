export { createWebAccess, type WebAccessOptions } from './web/create-web-access.ts';
