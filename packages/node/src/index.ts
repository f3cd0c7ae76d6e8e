export { ConfigError, type ConfigIssue } from './config/config-error.ts';
export { DEMO_KEY, DEMO_MANAGEMENT_KEY } from './config/demo-keys.ts';
export { type ConfigFlags, type GatewayConfig, loadConfig, type LoadConfigOptions } from './config/load-config.ts';
export type { ProviderConfig, ProviderPreset } from './config/provider-config.ts';
export { createNodePlatform } from './node-platform.ts';
export { listen, type Listener, type ListenOptions } from './http/listen.ts';
export { isLoopbackHost } from './http/guard-request.ts';
export { type NodeRequestOptions, toGatewayRequest } from './http/to-gateway-request.ts';
export { type WriteOptions, writeResponse } from './http/write-response.ts';
