// The VERSION file: which release wrote the database last, as `major.minor.patch`.
import { StorageError } from '../errors.ts'
import { type FileSystem, readFile, replaceFile } from '../storage/index.ts'
import { LINE_FILE_BYTES_MAX } from './limits.ts'
import { VERSION } from './names.ts'

const PARTS = ['major', 'minor', 'patch'] as const

/** Negative, zero or positive as release `a` is older than, the same as or newer than `b`. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  for (let i = 0; i < PARTS.length; i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
  return 0
}

/** The text of the VERSION file, trimmed and well-formed. @throws StorageError */
export function readVersion(fs: FileSystem): string {
  if (!fs.exists(VERSION)) throw unknownVersion()
  const text = new TextDecoder().decode(readFile(fs, VERSION, LINE_FILE_BYTES_MAX)).trim()
  if (text === '') throw unknownVersion()
  parse(text)
  return text
}

/** Writes the VERSION file, durably. */
export const writeVersion = (fs: FileSystem, version: string): Promise<void> =>
  replaceFile(fs, VERSION, new TextEncoder().encode(version))

/**
 * Whether a database of release `found` may be opened by release `own`. Any difference needs
 * `upgrade`; a newer database is never opened. @throws StorageError `version`
 */
export function checkVersion(found: string, own: string, upgrade: boolean): void {
  const order = compareVersions(found, own)
  if (order === 0 || (order < 0 && upgrade)) return
  if (order > 0 && upgrade) {
    const words = `Database version ${found} is higher than the Svc version ${own}.`
    throw new StorageError('version', VERSION, `${words} Downgrade is not supported`)
  }
  const words = `Your database version (${found}) is incompatible with your current engine version`
  const advice =
    order > 0
      ? `Use a server of version ${found} or newer.`
      : 'To upgrade the database in place, start with `--experimental-dumpless-upgrade`.'
  throw new StorageError('version', VERSION, `${words} (${own}).\n${advice}`)
}

function parse(text: string): readonly number[] {
  const parts = text.split('.')
  const corrupted =
    'Version file is corrupted and thus Svc is unable to determine the version of the database.'
  if (parts.length !== PARTS.length) {
    const count = `The version contains ${parts.length} parts`
    const finding = `${count} instead of 3 (major, minor and patch)`
    throw new StorageError('corrupt', VERSION, `${corrupted} ${finding}`)
  }
  return parts.map((part, i) => {
    const number = /^\d{1,9}$/.test(part) ? Number(part) : -1
    if (number >= 0) return number
    const finding = `Could not parse the ${PARTS[i]}: ${JSON.stringify(part)} is no number`
    throw new StorageError('corrupt', VERSION, `${corrupted} ${finding}`)
  })
}

function unknownVersion(): StorageError {
  const words = 'Svc failed to infer the version of the database.'
  const advice = `The file \`${VERSION}\` is missing or empty.`
  return new StorageError('corrupt', VERSION, `${words} ${advice}`)
}
