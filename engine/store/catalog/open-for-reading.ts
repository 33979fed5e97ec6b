// Opens an existing database without writing to its folder.
import { asSegmentNo } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import type { FileSystem } from '../storage/index.ts'
import { checkClosed } from './closed.ts'
import { Manifest } from './manifest.ts'
import { CURRENT, LOCK } from './names.ts'
import { readDatabase } from './read-database.ts'
import { checkVersion, readVersion } from './version.ts'

/**
 * Takes the shared lock until the manifest is closed, so that no process writes to the database.
 * `refusal`: creates the error for commits. @throws StorageError `locked`, `version`, `corrupt`,
 * `missing`
 */
export function openManifestForReading(
  fs: FileSystem,
  version: string,
  refusal: () => Error,
): Manifest {
  if (!fs.exists(CURRENT)) {
    const words = 'the folder holds no database, and none is created for reading'
    throw new StorageError('missing', CURRENT, words)
  }
  const lock = fs.lockForReading(LOCK)
  try {
    checkVersion(readVersion(fs), version, false)
    checkClosed(fs)
    const { path, contents, checkpointBytes, state } = readDatabase(fs)
    const log = {
      path,
      bytes: contents.validBytes,
      usable: true,
      isInPlace: () => true,
      recover: () => Promise.resolve(),
      append: () => Promise.reject(refusal()),
      close: () => Promise.resolve(),
      closeWithoutSeal: () => undefined,
    }
    const manifest = new Manifest({
      fs,
      lock,
      log,
      state,
      checkpointBytes,
      nextManifest: 0,
      nextSegment: asSegmentNo(0),
      bytesMin: Number.POSITIVE_INFINITY,
      drawLogSalt: () => 0,
      // Nothing is written at the end either.
      isAsClosed: true,
    })
    manifest.reserve(refusal)
    return manifest
  } catch (error) {
    lock.release()
    throw error
  }
}
