/**
 * Looks for a newer release once, tells its version when it is ready, and installs it when the app quits. Accepts only
 * releases with a valid signature. Loaded on demand, because most users never use it.
 */
export async function lookForUpdates(onReady: (version: string) => void): Promise<void> {
  const { autoUpdater } = await import('electron-updater');
  autoUpdater.autoDownload = true;
  autoUpdater.autoInstallOnAppQuit = true;
  autoUpdater.removeAllListeners('update-downloaded');
  autoUpdater.on('update-downloaded', ({ version }) => onReady(version));
  // A build without an update address finds nothing.
  await autoUpdater.checkForUpdates().catch(() => undefined);
}
