/** Ids that a store must not take for something else: paths, fields, members of every object. */
export const ODD_NAMES = [
  '__proto__',
  'export constructor',
  '../../etc/passwd',
  'a"b\\c',
  ',"generation":{',
  'line\nbreak',
  '',
];
