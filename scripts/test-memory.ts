// Temporary folders of tests in memory, where syncing a file costs nothing. What tests check of
// files is the same there; the tests of the disk itself and those of packages use the disk.
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = 'SVC_TEST_MEMORY'
/** The tests of three workers hold less than 300 MB. */
const FREE_BYTES_MIN = 1_500_000_000

/**
 * Returns a folder that is removed when this process ends, or '' if memory has no room. Vitest
 * reads its configuration once for each project.
 */
export function memoryFolder(): string {
  process.env[NAME] ??= newFolder()
  return process.env[NAME]
}

function newFolder(): string {
  if (!existsSync(MEMORY)) return ''
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < FREE_BYTES_MIN) return ''
  const folder = mkdtempSync(join(MEMORY, 'svc-tests-'))
  // Some tests run as another user.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
