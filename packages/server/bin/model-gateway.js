#!/usr/bin/env node
// Checks the runtime before anything else is loaded: on an older Node.js a dependency would fail
// first, with a message that does not say what to do. So this file must parse on old versions too.
import module from 'node:module';
import process from 'node:process';

const wanted = [22, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
  process.stderr.write(
    `model-gateway needs Node.js ${wanted.join('.')} or newer, but this is ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer Node.js, or put one first on PATH, and run the command again.\n',
  );
  process.exitCode = 1;
} else {
  // Before all code: what is loaded earlier is compiled anew at each start.
  module.enableCompileCache();
  import('../bundle/main.js').catch((error) => {
    process.stderr.write(`model-gateway could not start: ${error?.stack ?? error}\n`);
    if (error?.code === 'ERR_MODULE_NOT_FOUND') {
      process.stderr.write('If this is a source checkout, run "npm run build" first.\n');
    }
    process.exitCode = 1;
  });
}
