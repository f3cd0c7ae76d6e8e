/** What serving over HTTP takes, without the stores and the config file, for a start in a hurry. */
export { createNodePlatform } from './node-platform.ts';
export { listen, type Listener, type ListenOptions } from './http/listen.ts';
export { isLoopbackHost } from './http/guard-request.ts';
