// The one switch of this room: `SVC_RUNTIME_TUNING=off` in the environment leaves V8, the allocator
// and the priorities of threads as Node and the system set them. Worker threads inherit it.
import { setFlagsFromString } from 'node:v8'

export const isTuned = process.env['SVC_RUNTIME_TUNING'] !== 'off'

/** Sets a flag of V8 for the process. */
export const setFlag = (flag: string): void => {
  if (isTuned) setFlagsFromString(flag)
}
