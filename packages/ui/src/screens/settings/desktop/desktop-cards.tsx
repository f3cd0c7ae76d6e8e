import { toBaseUrl } from '../../../app/base-url.ts';
import { getDesktop, useDesktopInfo } from '../../../app/desktop.ts';
import type { DesktopInfo } from '../../../desktop-bridge.ts';
import { PortForm } from '../../../features/port-banner.tsx';
import { LANGUAGE_NAMES } from '../../../messages/languages.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { CopyButton } from '../../../parts/controls/copy-button.tsx';
import { Checkbox, Choice } from '../../../parts/controls/field.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { type Ask, useOutcome } from '../../../parts/messages/toast-store.ts';
import { desktopMessages } from './messages.tsx';
import { ProviderKeysCard } from './provider-keys-card.tsx';
import { ShortcutField } from './shortcut-field.tsx';

/** Settings of the desktop app around this page. Empty in a browser. */
export function DesktopCards() {
  const info = useDesktopInfo();
  if (info === null) return null;
  return (
    <>
      <ReachCard info={info} />
      <ProviderKeysCard info={info} />
      <StartCard info={info} />
      <NoticesCard info={info} />
      <DataCard info={info} />
    </>
  );
}

function ReachCard({ info }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  const { settings, networkUrls, state } = info;
  const isDemo = state.isDemo === true && settings.mode !== 'replay';
  const t = desktopMessages().reach;
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{t.title}</h2>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <code className="font-mono text-xs break-all">{toBaseUrl()}</code>
        <CopyButton isIcon look="quiet" label={t.copyAddress} text={toBaseUrl} />
        {state.phase !== 'listening' && <span className="text-caution">{t.notNow}</span>}
      </div>
      <div>
        <p className="mb-1 text-sm font-medium">{t.port}</p>
        <PortForm key={settings.port} port={settings.port} />
        <p className="mt-1 text-xs text-ink-faint">{t.portHint}</p>
      </div>
      <div>
        <p className="mb-1 text-sm font-medium">{t.mode}</p>
        <Choice
          label={t.mode}
          value={settings.mode}
          options={isDemo ? { ...t.modes, live: t.demo } : t.modes}
          onChange={(mode) => void ask(getDesktop()?.changeSettings({ mode }))}
        />
        <p className="mt-1 text-xs text-ink-faint">{isDemo ? t.demoHint : t.modeHint}</p>
      </div>
      <Checkbox
        label={t.share}
        hint={t.shareHint}
        checked={settings.shareOnNetwork}
        disabled={isBusy}
        onChange={(event) => void ask(getDesktop()?.changeSettings({ shareOnNetwork: event.target.checked }))}
      />
      {settings.shareOnNetwork && (
        <ul aria-label={t.addresses} className="flex flex-col gap-1">
          {networkUrls.map((url) => (
            <li key={url} className="flex items-center gap-2">
              <code className="font-mono text-xs break-all">{url}</code>
              <CopyButton isIcon look="quiet" label={t.copyUrl(url)} text={url} />
            </li>
          ))}
          {networkUrls.length === 0 && <li className="text-sm text-ink-faint">{t.noNetwork}</li>}
        </ul>
      )}
    </section>
  );
}

const SWITCHES = ['startAtLogin', 'startHidden', 'closeToTray', 'lookForUpdates', 'demo'] as const;

function StartCard({ info }: { info: DesktopInfo }) {
  const { settings } = info;
  const { ask, isBusy } = useOutcome();
  const t = desktopMessages().app;
  return (
    <section className="card flex flex-col gap-3 p-4">
      <h2 className="text-base font-semibold">{t.title}</h2>
      {SWITCHES.map((name) => (
        <Checkbox
          key={name}
          {...t[name]}
          checked={settings[name]}
          disabled={isBusy}
          onChange={(event) => void ask(getDesktop()?.changeSettings({ [name]: event.target.checked }))}
        />
      ))}
      <div>
        <p className="mb-1 text-sm font-medium">{t.language}</p>
        <Choice
          label={t.language}
          value={settings.language}
          options={{ system: t.system, ...LANGUAGE_NAMES }}
          onChange={(language) => void ask(getDesktop()?.changeSettings({ language }))}
        />
        <p className="mt-1 text-xs text-ink-faint">{t.languageHint}</p>
      </div>
      <ShortcutField info={info} />
    </section>
  );
}

function DataCard({ info }: { info: DesktopInfo }) {
  const t = desktopMessages().data;
  const { ask, isBusy } = useOutcome();
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{t.title}</h2>
      <Facts
        facts={[
          [t.version, info.version],
          [t.folder, <code className="font-mono text-xs break-all">{info.dataDir}</code>],
        ]}
      />
      <p className="text-sm text-ink-soft">{t.note}</p>
      <Actions ask={ask} isBusy={isBusy} />
    </section>
  );
}

function Actions({ ask, isBusy }: { ask: Ask; isBusy: boolean }) {
  const t = desktopMessages().data;
  return (
    <div className="flex flex-wrap gap-2">
      <Button isBusy={isBusy} onClick={() => void ask(getDesktop()?.backUp(), t.backedUp)}>
        {t.backUp}
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.restore(), t.restored)}>
        {t.restore}
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.exportSettings(), t.exported)}>
        {t.exportSettings}
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.importSettings(), t.imported)}>
        {t.importSettings}
      </Button>
      <Button disabled={isBusy} onClick={() => void ask(getDesktop()?.openLogs())}>
        {t.openLogs}
      </Button>
      <Button look="danger" disabled={isBusy} onClick={() => void ask(getDesktop()?.wipe(), t.wiped)}>
        {t.wipe}
      </Button>
    </div>
  );
}

const NOTICES = ['notifyAlarms', 'notifyBudget', 'notifyProviders', 'notifyVideos', 'notifyUpdates'] as const;

/** What the desktop app notifies of. */
function NoticesCard({ info: { settings } }: { info: DesktopInfo }) {
  const { ask, isBusy } = useOutcome();
  const t = desktopMessages().notices;
  return (
    <section className="card flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-base font-semibold">{t.title}</h2>
        <p className="text-sm text-ink-faint">{t.note}</p>
      </div>
      {NOTICES.map((name) => (
        <Checkbox
          key={name}
          {...t[name]}
          checked={settings[name]}
          disabled={isBusy}
          onChange={(event) => void ask(getDesktop()?.changeSettings({ [name]: event.target.checked }))}
        />
      ))}
    </section>
  );
}
