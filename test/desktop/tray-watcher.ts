import { createRequire } from 'node:module';

import { onTestFinished } from 'vitest';

import { appEnv } from './desktop-app.ts';

/** The part of a desktop that shows tray items: it hears of them over the session bus, and clicks in their menus. */
export interface TrayWatcher {
  labels(): Promise<string[]>;
  /** Resolves once the menu's labels are so. */
  until(holds: (labels: readonly string[]) => boolean): Promise<void>;
  click(label: string): Promise<void>;
}

type Properties = Record<string, { readonly value: string } | undefined>;
type MenuEntry = { readonly value: readonly [id: number, properties: Properties, children: readonly MenuEntry[]] };

interface WatcherClass {
  new (name: string): object;
  configureMembers(members: object): void;
}

const ITEM = 'org.kde.StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';

/** Stands in for a desktop's panel (specification of StatusNotifierItem). It ends with the test. */
export async function watchTray(): Promise<TrayWatcher> {
  // Installed beside the test runtime, and without types.
  const dbus = createRequire(new URL('./runtime/package.json', import.meta.url))('dbus-next');
  const bus = dbus.sessionBus({ busAddress: appEnv('')['DBUS_SESSION_BUS_ADDRESS'] });
  onTestFinished(() => bus.disconnect());
  let tellRegistered: (name: string) => void;
  const registered = new Promise<string>((resolve) => (tellRegistered = resolve));
  class Watcher extends dbus.interface.Interface {
    RegisterStatusNotifierItem(name: string): void {
      tellRegistered(name);
    }
    RegisterStatusNotifierHost(): void {
      // Nobody else shows anything here.
    }
    get IsStatusNotifierHostRegistered(): boolean {
      return true;
    }
    get RegisteredStatusNotifierItems(): string[] {
      return [];
    }
    get ProtocolVersion(): number {
      return 0;
    }
  }
  (Watcher as unknown as WatcherClass).configureMembers({
    methods: { RegisterStatusNotifierItem: { inSignature: 's' }, RegisterStatusNotifierHost: { inSignature: 's' } },
    properties: {
      IsStatusNotifierHostRegistered: { signature: 'b', access: 'read' },
      RegisteredStatusNotifierItems: { signature: 'as', access: 'read' },
      ProtocolVersion: { signature: 'i', access: 'read' },
    },
  });
  bus.export('/StatusNotifierWatcher', new (Watcher as unknown as WatcherClass)('org.kde.StatusNotifierWatcher'));
  await bus.requestName('org.kde.StatusNotifierWatcher', 0);

  const call = async (
    path: string,
    at: string,
    member: string,
    signature: string,
    body: unknown[],
  ): Promise<unknown[]> => {
    const destination = (await registered).split('/')[0];
    const reply = await bus.call(new dbus.Message({ destination, path, interface: at, member, signature, body }));
    return reply.body as unknown[];
  };
  const entries = async (): Promise<readonly MenuEntry[]> => {
    const [path] = await call('/StatusNotifierItem', 'org.freedesktop.DBus.Properties', 'Get', 'ss', [ITEM, 'Menu']);
    menuPath = (path as { value: string }).value;
    const [, layout] = await call(menuPath, MENU, 'GetLayout', 'iias', [0, -1, []]);
    return (layout as MenuEntry['value'])[2];
  };
  let menuPath = '';
  const labelOf = ({ value: [, properties] }: MenuEntry): string => properties['label']?.value ?? '';
  const labels = async (): Promise<string[]> => (await entries()).map(labelOf).filter((label) => label !== '');
  return {
    labels,
    async until(holds) {
      while (!holds(await labels()));
    },
    async click(label) {
      const entry = (await entries()).find((candidate) => labelOf(candidate) === label);
      if (entry === undefined) throw new Error(`There is no "${label}" in the menu`);
      const event = [entry.value[0], 'clicked', new dbus.Variant('s', ''), 0];
      // The app may be gone before it answers.
      await call(menuPath, MENU, 'Event', 'isvu', event).catch(() => undefined);
    },
  };
}
