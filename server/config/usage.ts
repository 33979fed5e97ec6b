// What is said when the command line or the environment is wrong, and what the program is called.
import { basename } from 'node:path'
import { LaunchFault } from './launch-fault.ts'

const PROGRAM = 'svc-server'
/** The names that the package installs. */
const NAMES: readonly string[] = [PROGRAM, 'svc-search']

/** The name that the program was started by; PROGRAM where that is a file of the build. */
export function programName(): string {
  const called = basename(process.argv[1] ?? '').replace(/\.(cmd|ps1)$/, '')
  return NAMES.includes(called) ? called : PROGRAM
}

export const usageFault = (problem: string): LaunchFault =>
  new LaunchFault(
    `error: ${problem}\n\nUsage: ${programName()} [OPTIONS]\n\nFor more information, try '--help'.`,
    2,
  )
