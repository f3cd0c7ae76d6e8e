import { createRequire } from 'node:module';

/** Waits for tray items, as a desktop's panel does. */
export interface TrayPanel {
  /** Resolves when the next item has registered. */
  next(): Promise<void>;
  close(): void;
}

interface WatcherClass {
  new (name: string): object;
  configureMembers(members: object): void;
}

/** Simulates a panel (specification of StatusNotifierItem) as far as items need it to register. */
export async function openTrayPanel(busAddress: string): Promise<TrayPanel> {
  // It is installed with the test runtime, and has no types.
  const dbus = createRequire(new URL('../../test/desktop/runtime/package.json', import.meta.url))('dbus-next');
  const bus = dbus.sessionBus({ busAddress });
  let tell = (): void => undefined;
  class Watcher extends dbus.interface.Interface {
    RegisterStatusNotifierItem(): void {
      tell();
    }
    get IsStatusNotifierHostRegistered(): boolean {
      return true;
    }
    get ProtocolVersion(): number {
      return 0;
    }
  }
  (Watcher as unknown as WatcherClass).configureMembers({
    methods: { RegisterStatusNotifierItem: { inSignature: 's' } },
    properties: {
      IsStatusNotifierHostRegistered: { signature: 'b', access: 'read' },
      ProtocolVersion: { signature: 'i', access: 'read' },
    },
  });
  bus.export('/StatusNotifierWatcher', new (Watcher as unknown as WatcherClass)('org.kde.StatusNotifierWatcher'));
  await bus.requestName('org.kde.StatusNotifierWatcher', 0);
  return {
    next: () => new Promise((resolve) => (tell = resolve)),
    close: () => void bus.disconnect(),
  };
}
