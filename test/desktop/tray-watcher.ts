import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

import { onTestFinished } from 'vitest';

import { startBus } from './start-telling.ts';

/** The part of a desktop that shows tray items: it hears of them over the session bus, and clicks in their menus. */
export interface TrayWatcher {
  /** The session bus that the app has to be on. */
  readonly bus: string;
  labels(): Promise<string[]>;
  /** Resolves once the menu's labels are so; throws when they do not become so. */
  until(holds: (labels: readonly string[]) => boolean): Promise<void>;
  /** Clicks an entry, or an entry of a submenu: `click('Mode', 'Live')`. */
  click(...path: string[]): Promise<void>;
  /** Clicks on the icon itself. */
  clickIcon(): Promise<void>;
  /** The labels of a submenu, those that cannot be clicked in brackets, the chosen ones with a star. */
  submenu(label: string): Promise<string[]>;
  /** A fingerprint of the icon that is shown. */
  icon(): Promise<string>;
}

interface Properties {
  readonly label?: { readonly value: string };
  readonly enabled?: { readonly value: boolean };
  readonly 'toggle-state'?: { readonly value: number };
}
type MenuEntry = { readonly value: readonly [id: number, properties: Properties, children: readonly MenuEntry[]] };

interface WatcherClass {
  new (name: string): object;
  configureMembers(members: object): void;
}

const ITEM = 'org.kde.StatusNotifierItem';
const ITEM_PATH = '/StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';
const UNTIL_MS = 20_000;

/**
 * Stands in for a desktop's panel (specification of StatusNotifierItem), on a bus of its own: there is one panel a bus,
 * and other tests go on meanwhile. It ends with the test.
 */
export async function watchTray(): Promise<TrayWatcher> {
  // Installed beside the test runtime, and without types.
  const dbus = createRequire(new URL('./runtime/package.json', import.meta.url))('dbus-next');
  const { child, line: busAddress } = await startBus();
  onTestFinished(() => void child.kill());
  const bus = dbus.sessionBus({ busAddress });
  onTestFinished(() => bus.disconnect());
  let tellRegistered: (name: string) => void;
  const registered = new Promise<string>((resolve) => (tellRegistered = resolve));
  class Watcher extends dbus.interface.Interface {
    RegisterStatusNotifierItem(name: string): void {
      tellRegistered(name);
    }
    RegisterStatusNotifierHost(): void {
      // No other program shows an item here.
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
  const read = async (property: string): Promise<unknown> => {
    const [found] = await call(ITEM_PATH, 'org.freedesktop.DBus.Properties', 'Get', 'ss', [ITEM, property]);
    return (found as { value: unknown }).value;
  };
  const entries = async (): Promise<readonly MenuEntry[]> => {
    const [, layout] = await call(String(await read('Menu')), MENU, 'GetLayout', 'iias', [0, -1, []]);
    return (layout as MenuEntry['value'])[2];
  };
  const labels = async (): Promise<string[]> => (await entries()).map(labelOf).filter((label) => label !== '');
  const find = (among: readonly MenuEntry[], label: string): MenuEntry => {
    const entry = among.find((candidate) => labelOf(candidate) === label);
    if (entry === undefined) throw new Error(`There is no "${label}" among ${among.map(labelOf).join(', ')}`);
    return entry;
  };
  return {
    bus: busAddress,
    labels,
    async until(holds) {
      const giveUpAt = performance.now() + UNTIL_MS;
      for (;;) {
        const found = await labels();
        if (holds(found)) return;
        if (performance.now() > giveUpAt) throw new Error(`The menu stays at ${found.join(', ')}`);
      }
    },
    async click(...path) {
      let among = await entries();
      let id = 0;
      for (const label of path) [id, , among] = find(among, label).value;
      const event = [id, 'clicked', new dbus.Variant('s', ''), 0];
      // The app may be gone before it responds.
      await call(String(await read('Menu')), MENU, 'Event', 'isvu', event).catch(() => undefined);
    },
    async clickIcon() {
      await call(ITEM_PATH, ITEM, 'Activate', 'ii', [0, 0]);
    },
    async submenu(label) {
      return find(await entries(), label).value[2].map(describeEntry);
    },
    async icon() {
      const pixmaps = (await read('IconPixmap')) as readonly (readonly [number, number, Buffer])[];
      return createHash('sha256')
        .update(pixmaps[0]?.[2] ?? '')
        .digest('hex');
    },
  };
}

const labelOf = ({ value: [, properties] }: MenuEntry): string => properties.label?.value ?? '';

function describeEntry(entry: MenuEntry): string {
  const [, { enabled, 'toggle-state': toggled }] = entry.value;
  const label = labelOf(entry);
  if (enabled?.value === false) return `(${label})`;
  return toggled?.value === 1 ? `${label} *` : label;
}
