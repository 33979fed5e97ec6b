// What is said when the command line or the environment is wrong.
import { LaunchFault } from './launch-fault.ts'

export const PROGRAM = 'svc-server'

export const usageFault = (problem: string): LaunchFault =>
  new LaunchFault(
    `error: ${problem}\n\nUsage: ${PROGRAM} [OPTIONS]\n\nFor more information, try '--help'.`,
    2,
  )
