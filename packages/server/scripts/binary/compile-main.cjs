// Run by the build: starts the demo, and when it listens writes what V8 has compiled of the bundle, which is what each
// start needs. Arguments: the bundle, the file to write, a JSON file of assets by name, and those of the command.
const { readFileSync, writeFileSync } = require('node:fs');
const v8 = require('node:v8');
const { Script } = require('node:vm');

const [bundleFile, cacheFile, assetsFile, ...args] = process.argv.splice(2);
process.argv.push(...args);

const assets = JSON.parse(readFileSync(assetsFile, 'utf8'));
const replaced = {
  'node:sea': { getAssetKeys: () => Object.keys(assets), getAsset: (name) => readFileSync(assets[name]) },
  // V8 takes compiled code only where its flags are those of now, and the executable starts with the usual ones.
  'node:v8': { ...v8, setFlagsFromString: () => undefined },
};
const script = new Script(readFileSync(bundleFile, 'latin1'), { filename: 'model-gateway.cjs' });
const print = process.stdout.write;
process.stdout.write = (text) => {
  if (!text.includes('"listening"')) return true;
  writeFileSync(cacheFile, script.createCachedData());
  process.kill(process.pid, 'SIGTERM');
  process.stdout.write = print;
  return true;
};
script.runInThisContext()({}, (name) => replaced[name] ?? require(name), {});
