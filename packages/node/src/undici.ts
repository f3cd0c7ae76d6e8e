export {
  createUndiciTransport,
  type UndiciTransport,
  type UndiciTransportOptions,
} from './upstream/undici-transport.ts';
