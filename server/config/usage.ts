// The usage error for a wrong command line or environment, and the name of the program.
import { basename } from 'node:path'
import { LaunchError } from './launch-error.ts'

const PROGRAM = 'svc-server'
/** The names that the package installs. */
const NAMES: readonly string[] = [PROGRAM, 'svc-search']

/** Returns the name by which the program was started, or PROGRAM if that is a file of the build. */
export function programName(): string {
  const called = basename(process.argv[1] ?? '').replace(/\.(cmd|ps1)$/, '')
  return NAMES.includes(called) ? called : PROGRAM
}

export const usageError = (problem: string): LaunchError =>
  new LaunchError(
    `error: ${problem}\n\nUsage: ${programName()} [OPTIONS]\n\nFor more information, try '--help'.`,
    2,
  )
