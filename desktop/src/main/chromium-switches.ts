import { app } from 'electron';

/**
 * Leaves out of Chromium and GTK, on Linux, what the app has no use for and what would rest in memory for as long as it
 * runs. Must be called before Electron is ready.
 */
export function setChromiumSwitches(): void {
  if (process.platform !== 'linux') return;
  // Tables, texts and line charts are drawn without a graphics card as well, which saves the process for it.
  for (const name of ['disable-gpu', 'disable-software-rasterizer', 'in-process-gpu'])
    app.commandLine.appendSwitch(name);
  const features = [
    // It has no sandbox of its own on Linux, so a process of its own would not protect the others.
    'NetworkServiceInProcess2',
    // Under Wayland no program hears the keys of others; this asks the desktop for those of the quick panel.
    'GlobalShortcutsPortal',
  ];
  app.commandLine.appendSwitch('enable-features', features.join(','));
  // GTK would load the drivers of OpenGL only to ask which windows could use it. Programs that the app starts are not to
  // inherit this.
  const before = process.env['GDK_GL'];
  process.env['GDK_GL'] = 'disable';
  void app.whenReady().then(() => {
    if (before === undefined) delete process.env['GDK_GL'];
    else process.env['GDK_GL'] = before;
  });
}
