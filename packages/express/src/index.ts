export type { ExpressRequest, Next } from './express-request.ts';
export { gatewayRouter, type GatewayRouter, type GatewayRouterOptions } from './gateway-router.ts';
export type { PassthroughOptions } from './passthrough.ts';
