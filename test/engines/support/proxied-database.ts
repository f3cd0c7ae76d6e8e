import { onTestFinished } from 'vitest';

import { openDatabase } from './engines.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** A proxy to a port of this machine, that ends with the test. */
export async function openFaultProxy(port: number): Promise<FaultProxy> {
  const proxy = await startFaultProxy(port);
  onTestFinished(() => proxy.close());
  return proxy;
}

export interface ProxiedDatabase {
  /** Its own address. */
  readonly database: string;
  readonly proxy: FaultProxy;
  /** Its address by the proxy. */
  readonly proxied: string;
}

/** A database, and another way to it that can be cut. */
export async function openProxiedDatabase(open: () => Promise<string> = openDatabase): Promise<ProxiedDatabase> {
  const database = await open();
  const proxy = await openFaultProxy(Number(new URL(database).port));
  return { database, proxy, proxied: proxy.through(database) };
}
