// The VERSION file: the release that last wrote the database, as `major.minor.patch`.
import { decoder, encoder } from '../../../format/bytes/index.ts'
import { StorageError } from '../../model/index.ts'
import { type FileSystem, readFile, replaceFile } from '../storage/index.ts'
import { LINE_FILE_BYTES_MAX } from './limits.ts'
import { VERSION } from './names.ts'

const PARTS = ['major', 'minor', 'patch'] as const
const GUIDE = 'https://github.com/svc-search/svc-search/blob/main/docs/upgrade.md'
/** Oldest release whose databases can be upgraded. */
const OLDEST = '1.12.0'

/**
 * Returns a negative number, zero or a positive one if release `a` is older than, equal to or newer
 * than `b`.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a)
  const right = parse(b)
  for (let i = 0; i < PARTS.length; i++) {
    if (left[i] !== right[i]) return left[i]! - right[i]!
  }
  return 0
}

/**
 * Returns the checked text of the VERSION file without white space around it. @throws StorageError
 */
export function readVersion(fs: FileSystem): string {
  if (!fs.exists(VERSION)) throw unknownVersion()
  const text = decoder.decode(readFile(fs, VERSION, LINE_FILE_BYTES_MAX)).trim()
  if (text === '') throw unknownVersion()
  parse(text)
  return text
}

/** Writes the VERSION file durably. */
export const writeVersion = (fs: FileSystem, version: string): Promise<void> =>
  replaceFile(fs, VERSION, encoder.encode(version))

/**
 * Checks that release `own` may open a database of release `found`. Any difference requires
 * `upgrade`; a newer database is never opened, nor one older than `OLDEST`.
 * @throws StorageError `version`
 */
export function checkVersion(found: string, own: string, upgrade: boolean): void {
  const order = compareVersions(found, own)
  if (order === 0) return
  if (order > 0) {
    const words = `Database version ${found} is higher than the Svc version ${own}.`
    const advice = `Start it with Svc ${found} or newer; an older release never changes it`
    throw new StorageError('version', VERSION, `${words} Downgrade is not supported. ${advice}`)
  }
  if (!upgrade) {
    const words = `Your database version (${found}) is incompatible with your current engine version`
    throw new StorageError('version', VERSION, `${words} (${own}).\n${upgradeAdvice()}`)
  }
  if (compareVersions(found, OLDEST) >= 0) return
  const words = `Database version ${found} is too old to be upgraded via \`--upgrade-db\`.`
  const advice = `Please generate a dump using the v${found} and import it in the v${own}`
  throw new StorageError('version', VERSION, `${words} ${advice}`)
}

/** Returns the advice for users with an older database. */
export const upgradeAdvice = (): string =>
  [
    `To move data between versions, follow the guide: ${GUIDE}.`,
    'To upgrade the database in place, start with the option `--upgrade-db` ' +
      'or the variable `SVC_UPGRADE_DB`.',
  ].join('\n')

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
  const advice = `The file \`${VERSION}\` is missing or empty: see ${GUIDE}.`
  return new StorageError('corrupt', VERSION, `${words} ${advice}`)
}
