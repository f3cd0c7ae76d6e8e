import { createPlural } from './languages.ts';

const plural = createPlural('en');

/**
 * All texts of the desktop app's own process and of its quick panel. This file decides which messages there are: another
 * language that lacks one of them, or has one more, does not compile.
 */
export const en = {
  state: {
    starting: 'Starting',
    running: (host: string) => `Running on ${host}`,
    runningDemo: (host: string) => `Running on ${host} (demo)`,
    runningReplay: (host: string) => `Running on ${host} (replay only)`,
    runningRecord: (host: string) => `Running on ${host} (recording)`,
    paused: 'Paused',
    portTaken: (port: number) => `Not listening: port ${port} is taken`,
    portClosed: (port: number) => `Not listening: port ${port} cannot be opened`,
    failed: 'Stopped by an error',
    crashed: (code: number) => `The gateway exited with code ${code} and is restarting.`,
    demoNotShared: 'The demo’s keys are public, so it can’t be shared on the network. Save a provider key first.',
  },
  figures: (active: number, today: number, cost: string) => `${active} active · ${today} today · ${cost}`,
  modes: { live: 'Live', demo: 'Demo', replay: 'Replay only', record: 'Record' },
  obstacles: {
    nothingRecorded: 'nothing is recorded',
    demoAsksNone: 'the demo calls no provider',
    modeNotChanged: (reason: string) => `The mode was not changed: ${reason}.`,
    shortcutTaken: (keys: string) =>
      `${keys} cannot be used: another program has it, or this desktop does not allow it.`,
  },
  tray: {
    toolTip: (state: string) => `Model Gateway: ${state}`,
    open: 'Open',
    quickPanel: 'Quick panel',
    tryPort: (port: number) => `Try port ${port} again`,
    usePort: (port: number) => `Use ${port} this time`,
    changePort: 'Change port…',
    copyBaseUrl: 'Copy base URL',
    copyAs: 'Copy as',
    bash: 'Environment, bash',
    powerShell: 'Environment, PowerShell',
    mode: 'Mode',
    modeWithObstacle: (mode: string, obstacle: string) => `${mode} (${obstacle})`,
    pause: 'Pause accepting requests',
    recentErrors: 'Recent errors',
    noErrors: 'None',
    noResponse: 'no response',
    startAtLogin: 'Start at login',
    share: 'Share on local network…',
    settings: 'Settings…',
    openLogs: 'Open logs folder',
    resetPosition: 'Reset window position',
    quit: 'Quit',
  },
  start: { failed: 'Model Gateway cannot start' },
  quit: {
    question: (calls: number) =>
      plural(calls, { one: `${calls} call is under way.`, other: `${calls} calls are under way.` }),
    detail: 'New calls are refused until they end. Quitting now interrupts them.',
    whenDone: 'Quit when done',
    now: 'Quit now',
    cancel: 'Cancel',
  },
  withoutTray: {
    question: 'Keep the gateway running without its window?',
    detail: 'This desktop doesn’t seem to have a tray. Start the app again to open the window.',
    goOn: 'Keep running',
    quit: 'Quit',
  },
  port: {
    question: (port: number) => `Other programs cannot reach the gateway at port ${port}`,
    taken: 'Quit that program and try again, or let the gateway use another port.',
    denied: 'Nothing needs to be closed: choose another port.',
    other: 'Try again, or choose another port.',
    tryAgain: 'Try again',
    later: 'Later',
  },
  share: {
    question: 'Share the gateway on your local network?',
    detail: (addresses: string, port: number) =>
      `Everyone on the network will be able to reach ${addresses} at port ${port}. They still need a key. ` +
      'Traffic on the network is not encrypted.',
    thisMachine: 'this machine',
    share: 'Share',
    cancel: 'Cancel',
    nothingChanged: 'Nothing was changed.',
  },
  data: {
    settingsFiles: 'Settings',
    exported: (path: string) => `Settings saved to ${path}, without keys.`,
    noSettings: (path: string) => `${path} contains no settings of this app.`,
    backUpInto: 'Back up into this folder',
    backedUp: (path: string) => `The data was copied to ${path}. Provider keys are not in it.`,
    restoreFrom: 'Restore from this folder',
    noBackup: (path: string) => `${path} is not a backup: it has no config.json.`,
    restored: (path: string, before: string) => `Restored from ${path}. The previous data is in ${before}.`,
    wipeQuestion: 'Delete all data of the gateway?',
    wipeDetail:
      'This deletes calls, keys, guardrails, destinations, videos, recordings, logs and provider keys. ' +
      'Backups elsewhere are kept. This cannot be undone.',
    wipe: 'Delete everything',
    cancel: 'Cancel',
    wiped: 'Everything was deleted.',
    noKeyStorage: 'This machine has no way to store a key safely',
    windowClosed: 'The window is closed.',
    linkRefused: 'This link can’t be opened from here. Copy it instead.',
  },
  notices: {
    budget: 'Budget reached',
    budgetDetail: 'Calls over budget are refused until it resets or is raised.',
    providerDown: (provider: string) => `${provider} does not respond`,
    providerDownDetail: 'All its endpoints fail. Calls use other providers where allowed.',
    providerBack: (provider: string) => `${provider} responds again`,
    videoDone: 'A video is ready',
    videoFailed: 'A video could not be made',
    videoDetail: (model: string) => `Made with ${model}.`,
    videoFailedDetail: (model: string) => `Ordered from ${model}.`,
    update: (version: string) => `Version ${version} is ready`,
    updateDetail: 'It will be installed when you quit the app.',
  },
  panel: {
    title: 'Quick panel',
    spentToday: 'spent today',
    callsToday: (calls: number) => plural(calls, { one: 'call today', other: 'calls today' }),
    openCalls: 'under way',
    latest: 'Latest calls',
    noCalls: 'No calls yet.',
    statuses: { ok: 'ok', failed: 'failed', cancelled: 'cancelled', interrupted: 'interrupted' },
    unknownCost: 'cost unknown',
    mode: 'Mode',
    open: 'Open',
    copy: 'Copy address',
    copied: 'Copied',
    pause: 'Pause',
    goOn: 'Resume',
    notReached: 'The app does not respond.',
  },
};

export type Messages = typeof en;
