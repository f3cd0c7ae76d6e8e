import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

import { instanceQuery, settingsQuery } from '../../api/queries.ts';
import { type Session, getSession, may } from '../../api/session.ts';
import { toBaseUrl } from '../../app/base-url.ts';
import { useDesktopInfo } from '../../app/desktop.ts';
import { toStateText, useGatewayState } from '../../app/gateway-state.ts';
import { setPreferences, usePreferences } from '../../app/preferences.ts';
import { CallLimitsSection } from '../../features/limits/call-limits-section.tsx';
import { RateLimitsSection } from '../../features/limits/rate-limits-section.tsx';
import { formatRelative, localZoneName } from '../../format/time.ts';
import { LANGUAGE_NAMES } from '../../messages/languages.ts';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { Checkbox, Choice } from '../../parts/controls/field.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/messages/loaded.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { AccountForm, type AccountSection } from './account-form.tsx';
import { AlarmsSection } from './alarms-section.tsx';
import { RetentionCard } from './data/retention-card.tsx';
import { SendingCard } from './data/sending-card.tsx';
import { StorageCard } from './data/storage-card.tsx';
import { DesktopCards } from './desktop/desktop-cards.tsx';
import { InstanceCard } from './instance-card.tsx';
import { MailCard } from './mail-card.tsx';
import { settingsMessages } from './messages.ts';
import { StoppedSessions } from './session-limits.tsx';
import { SECTIONS, type SettingsSection } from './settings-search.ts';
import { WorkspacesSection } from './workspaces/workspaces-section.tsx';

/** The operation without which a section has nothing to show; the others are for every role. */
const NEEDS: Readonly<Partial<Record<SettingsSection, string>>> = {
  account: 'getSettings',
  routing: 'getSettings',
  rules: 'getSettings',
  sessions: 'getSettings',
  alarms: 'listAlarms',
  workspaces: 'createWorkspace',
  data: 'getRetention',
};

function isForRole(section: SettingsSection): boolean {
  const operation = NEEDS[section];
  return operation === undefined || may(operation);
}

/** One section of the settings, which is part of the address, beside the list of all. */
export function SettingsScreen() {
  const t = settingsMessages();
  const isDesktop = useDesktopInfo() !== null;
  const { section: asked, workspace, open } = useSearch({ from: '/settings' });
  const sections = SECTIONS.filter((name) => (name !== 'desktop' || isDesktop) && isForRole(name));
  const section = sections.find((name) => name === asked) ?? 'appearance';
  return (
    <div className="mx-auto flex w-full max-w-[58rem] flex-col gap-4 p-4 md:p-6">
      <ScreenHeader title={t.title} />
      <div className="flex min-w-0 flex-col gap-4 md:flex-row md:gap-6">
        <nav
          aria-label={t.navigation}
          className="flex shrink-0 flex-wrap gap-1 md:sticky md:top-6 md:w-40 md:flex-col md:self-start"
        >
          {sections.map((name) => (
            <Link
              key={name}
              to="/settings"
              search={{ section: name }}
              aria-current={name === section ? 'page' : undefined}
              activeOptions={{ exact: true }}
              className="flex min-h-8 items-center rounded-md px-2.5 text-sm whitespace-nowrap text-ink-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
            >
              {t.sections[name]}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          {section === 'appearance' && <AppearanceCard />}
          {may('getSettings') && <AccountSections section={section} />}
          {section === 'alarms' && (
            <>
              <AlarmsSection open={open} />
              <MailCard />
            </>
          )}
          {section === 'workspaces' && <WorkspacesSection id={workspace} />}
          {section === 'data' && (
            <>
              <RetentionCard />
              <StorageCard />
              <SendingCard />
            </>
          )}
          {section === 'gateway' && (
            <>
              <InstanceCard />
              <AboutCard />
            </>
          )}
          {section === 'desktop' && <DesktopCards />}
        </div>
      </div>
    </div>
  );
}

/** Stays while another section is shown: what is entered is kept. */
function AccountSections({ section }: { section: SettingsSection }) {
  const t = settingsMessages();
  const settings = useQuery(settingsQuery);
  const shown = ACCOUNT_SECTIONS.find((name) => name === section);
  return (
    <div hidden={shown === undefined} className="flex min-w-0 flex-col gap-4 [&[hidden]]:hidden">
      <Loaded what={t.what} query={settings} data={settings.data} isFlush>
        {(loaded) => <AccountForm settings={loaded} section={shown ?? 'account'} />}
      </Loaded>
      {section === 'account' && (
        <>
          <div className="card p-4">
            <RateLimitsSection />
          </div>
          <div className="card p-4">
            <CallLimitsSection />
          </div>
        </>
      )}
      {section === 'sessions' && <StoppedSessions />}
    </div>
  );
}

const ACCOUNT_SECTIONS: readonly AccountSection[] = ['account', 'routing', 'rules', 'sessions'];

function AboutCard() {
  const state = useGatewayState();
  const { data: instance } = useQuery(instanceQuery);
  const session = getSession();
  const t = settingsMessages().about;
  const report = (): string =>
    [
      'Model Gateway',
      `version: ${instance?.version ?? 'unknown'}`,
      `state: ${toStateText(state)}`,
      `store: ${instance?.store?.type ?? 'unknown'}`,
      `browser: ${navigator.userAgent}`,
      `window: ${innerWidth} x ${innerHeight}`,
    ].join('\n');
  return (
    <section className="card flex flex-col gap-3 p-4">
      <h2 className="text-base font-semibold">{t.title}</h2>
      <Facts
        facts={[
          [t.api, <code className="font-mono text-xs break-all">{toBaseUrl()}</code>],
          [t.signedInAs, toSessionText(session)],
        ]}
      />
      <CopyButton text={report} label={t.copyReport} className="max-w-full self-start whitespace-normal!" />
    </section>
  );
}

function toSessionText(session: Session): string {
  switch (session.type) {
    case 'none':
      return settingsMessages().about.nobody;
    case 'host':
      return session.name;
    case 'cookie':
      return settingsMessages().about.endsIn(session.name, formatRelative(session.expiresAt));
  }
}

/** Display settings, kept in this browser. */
function AppearanceCard() {
  const { theme, density, language, zone, singleKeys } = usePreferences();
  const isDesktop = useDesktopInfo() !== null;
  const t = settingsMessages().appearance;
  return (
    <section className="card flex flex-col gap-4 p-4">
      <h2 className="text-base font-semibold">{settingsMessages().sections.appearance}</h2>
      <div className="flex flex-col divide-y divide-line/60">
        <ChoiceRow
          label={t.theme}
          value={theme}
          onChange={(next) => setPreferences({ theme: next })}
          options={t.themes}
        />
        <ChoiceRow
          label={t.rows}
          value={density}
          onChange={(next) => setPreferences({ density: next })}
          options={t.densities}
        />
        {/* The desktop app has its own setting, which its menus follow, too. */}
        {!isDesktop && (
          <ChoiceRow
            label={t.language}
            value={language}
            onChange={(next) => setPreferences({ language: next })}
            options={{ system: t.system, ...LANGUAGE_NAMES }}
          />
        )}
        <ChoiceRow
          label={t.zone}
          value={zone}
          onChange={(next) => setPreferences({ zone: next })}
          options={{ local: t.localZone(localZoneName()), utc: 'UTC' }}
        />
      </div>
      <Checkbox
        checked={singleKeys}
        onChange={(event) => setPreferences({ singleKeys: event.target.checked })}
        label={t.singleKeys}
        hint={t.singleKeysHint}
      />
    </section>
  );
}

/** A choice with its name before it, in line with those above and below. */
function ChoiceRow<Value extends string>(props: ComponentProps<typeof Choice<Value>>) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2 first:pt-0">
      <p className="text-sm font-medium">{props.label}</p>
      <Choice {...props} />
    </div>
  );
}
