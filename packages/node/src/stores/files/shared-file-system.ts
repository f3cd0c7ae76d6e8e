/** File systems that several machines can use at once, by the number that `statfs` of Linux gives. */
const SHARED_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0xbacbacbc, 'VMware shared folders'],
  [0x786f4256, 'VirtualBox shared folders'],
  [0x7c7c6673, 'Parallels shared folders'],
]);

/** The name of a file system that machines share; undefined for one of this machine, or that is not known. */
export function findSharedFileSystem(statfsType: number): string | undefined {
  // On 32-bit machines the number has a sign.
  return SHARED_TYPES.get(statfsType >>> 0);
}
